import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Content, Result } from "../../desk/run.ts";
import { pretty } from "../parts/clip.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { LongText } from "../parts/long-text.tsx";
import { ContentView } from "./content-view.tsx";

/** So many pieces are shown at once; nobody knows how many a server sends. */
const FIRST = 100;

export function ResultView({ result }: { readonly result: Result }): JSX.Element {
  const { isError, content, structured } = result;
  const [most, setMost] = useState(FIRST);
  const isTwice = structured !== undefined && content.length === 1 && saysTheSame(content[0], structured);
  return (
    <div class="result">
      <p class="result-head">
        <strong>{isError ? "The tool failed" : "Result"}</strong>
        <CopyButton bare label="Copy the result as JSON" text={() => pretty(structured ?? content)} />
      </p>
      {content.length === 0 && structured === undefined && <p class="nothing">It gave nothing back.</p>}
      {!isTwice &&
        content.slice(0, most).map((piece, index) => (
          <div key={index} class="piece">
            {"role" in piece && piece.role !== undefined && <span class="role">{piece.role}</span>}
            <ContentView piece={piece} />
          </div>
        ))}
      {content.length > most && (
        <p class="cut">
          <span>
            {most} of {content.length.toLocaleString("en")} pieces{" "}
          </span>
          <button type="button" class="quiet" onClick={() => setMost(most + FIRST)}>
            Show more
          </button>
        </p>
      )}
      {structured !== undefined && (
        <div class="piece">
          <span class="role">data</span>
          <LongText text={pretty(structured)} name="result.json" mono />
        </div>
      )}
    </div>
  );
}

/** Servers write data down as text as well, for clients that read only that. */
function saysTheSame(piece: Content | undefined, structured: unknown): boolean {
  if (piece?.type !== "text") return false;
  try {
    return JSON.stringify(JSON.parse(piece.text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}
