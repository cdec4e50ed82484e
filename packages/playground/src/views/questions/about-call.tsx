import type { JSX } from "preact";
import type { About } from "../../desk/question.ts";
import { Told } from "../parts/told.tsx";

/** What was called, and with what: for somebody who answers a call that was made elsewhere. */
export function AboutCall({ about, most }: { readonly about: About; readonly most: number }): JSX.Element {
  const { description, input } = about;
  return (
    <>
      {description !== undefined && (
        <div class="about-call">
          <Told text={description} most={most} />
        </div>
      )}
      {input !== undefined && (
        <div class="about-call">
          Input:{" "}
          <code>
            <Told text={JSON.stringify(input)} most={most} />
          </code>
        </div>
      )}
    </>
  );
}
