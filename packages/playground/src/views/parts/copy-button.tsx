import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";

/** Copies a text, and says whether it could. */
export function CopyButton({
  text,
  label,
  icon = "copy",
  bare = false,
}: {
  readonly text: () => string;
  readonly label: string;
  readonly icon?: IconName;
  /** Without words to see, where there is little room. */
  readonly bare?: boolean;
}): JSX.Element {
  const [outcome, setOutcome] = useState<"" | "Copied" | "Could not copy">("");
  useEffect(() => {
    if (outcome === "") return undefined;
    const timer = setTimeout(() => setOutcome(""), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copyIt = (): void =>
    void copy(text()).then(
      () => setOutcome("Copied"),
      () => setOutcome("Could not copy"),
    );
  return (
    <>
      <button
        type="button"
        class={bare ? "icon-button" : "quiet"}
        title={label}
        aria-label={label}
        onClick={copyIt}
      >
        <Icon name={outcome === "Copied" ? "done" : icon} />
        {!bare && <span> {outcome === "" ? label : outcome}</span>}
      </button>
      {/* Not in the button, whose name is all that is read of it. */}
      <span class="unseen" role="status">
        {outcome}
      </span>
    </>
  );
}

async function copy(text: string): Promise<void> {
  // Only pages of this machine, and those that came over https, have a clipboard.
  if (isSecureContext) return navigator.clipboard.writeText(text);
  throw new Error("This page may not use the clipboard.");
}
