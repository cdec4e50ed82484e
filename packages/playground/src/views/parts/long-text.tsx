import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { SaveButton } from "./save-button.tsx";

const FIRST = 20_000;
/** No more than this is shown: a browser that lays out more of it stands still. */
const MOST = 640_000;

/** A text of any length, as text. What is too long for the page is shown in steps, and can be saved. */
export function LongText({
  text,
  name = "text.txt",
  mono = false,
  first = FIRST,
}: {
  readonly text: string;
  readonly name?: string;
  readonly mono?: boolean;
  readonly first?: number;
}): JSX.Element {
  const [shown, setShown] = useState(first);
  const style = mono ? "long-text mono" : "long-text";
  if (text.length <= shown) return <div class={style}>{text}</div>;
  const next = Math.max(Math.min(shown * 2, MOST), FIRST);
  return (
    <div>
      <div class={style}>{text.slice(0, shown)}…</div>
      <p class="cut">
        <span>
          {shown.toLocaleString("en")} of {text.length.toLocaleString("en")} characters{" "}
        </span>
        {next > shown && (
          <button type="button" class="quiet" onClick={() => setShown(next)}>
            Show more
          </button>
        )}
        <SaveButton name={name} label="Save as file" make={() => new Blob([text], { type: "text/plain" })} />
      </p>
    </div>
  );
}
