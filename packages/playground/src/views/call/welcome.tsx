import type { JSX } from "preact";
import { clip } from "../parts/clip.ts";
import { LongText } from "../parts/long-text.tsx";
import { Told } from "../parts/told.tsx";
import { useStage } from "../stage.ts";

export function Welcome(): JSX.Element {
  const stage = useStage();
  const connection = stage.desk.connection.value;
  if (connection.state === "refused")
    return (
      <section class="welcome">
        <h1>The server wants to know who is here</h1>
        <LongText text={connection.problem} first={600} />
        <p>
          <button type="button" class="primary" onClick={() => (stage.settingsOpen.value = true)}>
            Enter a token
          </button>
        </p>
      </section>
    );
  if (connection.state !== "open") return <p class="welcome nothing">Connecting…</p>;
  const { name, instructions } = connection.server;
  return (
    <section class="welcome">
      <h1>{clip(name)}</h1>
      {instructions !== undefined && <LongText text={instructions} />}
      <p class="nothing">
        {stage.offerName.value === undefined ? (
          "Choose something to call from the list."
        ) : (
          <Absent name={stage.offerName.value} />
        )}
      </p>
    </section>
  );
}

/** A link led to it, and it is not there. */
function Absent({ name }: { readonly name: string }): JSX.Element {
  const [kind, ...rest] = name.split("/");
  return (
    <>
      There is no {kind} named <Told text={rest.join("/")} /> here.
    </>
  );
}
