import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Exchange } from "../../desk/exchange.ts";
import { clip, pretty, sizeOf } from "../parts/clip.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { LongText } from "../parts/long-text.tsx";

/** One message: a line, and all of it when it is opened. */
export function ExchangeRow({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { from, title, kind, at } = exchange;
  return (
    <details
      class={`exchange from-${from} kind-${kind}`}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <span class="arrow" aria-hidden="true">
          {from === "page" ? "→" : "←"}
        </span>
        <span class="unseen">{from === "page" ? "To the server: " : "From the server: "}</span>
        <span class="exchange-title" title={clip(title, 120)}>
          {clip(title, 120)}
        </span>
        <span class="exchange-kind">{kind}</span>
        <time dateTime={new Date(at).toISOString()}>{timeOf(at)}</time>
      </summary>
      {isOpen && <Opened exchange={exchange} />}
    </details>
  );
}

function Opened({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const { text, size, by } = exchange;
  return (
    <div class="exchange-body">
      <p class="exchange-facts">
        <span>
          {clip(by, 120)} · {sizeOf(size)}
        </span>
        <CopyButton bare label="Copy this message" text={() => text} />
      </p>
      <LongText text={laidOut(text)} name="message.json" mono />
      {size > text.length && (
        <p class="nothing">
          Only the first {text.length.toLocaleString("en")} of {size.toLocaleString("en")} characters were
          kept.
        </p>
      )}
    </div>
  );
}

/** A message that was cut is no JSON any more, and is shown as it is. */
function laidOut(text: string): string {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}

function timeOf(at: number): string {
  const date = new Date(at);
  // By hand: there are thousands of them, and the platform takes its time.
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${hours}:${minutes}:${seconds}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
