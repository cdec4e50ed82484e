import type { ComponentChildren, JSX } from "preact";
import { clip } from "./clip.ts";
import { Icon } from "./icons.tsx";

/** A web address that may be opened: http or https, nothing else. */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}

/** A link where the address may be opened, shown as it will be; and text where not. */
export function SafeLink({
  uri,
  children,
}: {
  readonly uri: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const href = webAddress(uri);
  if (href === undefined) return <span class="mono">{children ?? clip(uri, 500)}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children ?? clip(href, 500)} <Icon name="open" />
      <span class="unseen"> (opens in a new tab)</span>
    </a>
  );
}
