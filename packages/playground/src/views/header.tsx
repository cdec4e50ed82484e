import type { JSX } from "preact";
import type { Connection } from "../desk/connection.ts";
import { clip } from "./parts/clip.ts";
import { Icon } from "./parts/icons.tsx";
import { useStage } from "./stage.ts";
import { bringBack, waitingWords, wantedOf } from "./wanted.ts";

export function Header(): JSX.Element {
  const stage = useStage();
  const { desk, wireOpen, settingsOpen } = stage;
  const connection = desk.connection.value;
  const { revision, way } = desk.settings.value;
  return (
    <header class="page-head">
      <span class="brand">Photon</span>
      {connection.state === "open" && (
        <span class="server">
          {clip(connection.server.name, 60)}{" "}
          <span class="version">{clip(connection.server.version, 30)}</span>
        </span>
      )}
      <ConnectionState connection={connection} />
      <span class="spring" />
      <WantedButton />
      <button type="button" class="quiet" onClick={() => (settingsOpen.value = true)}>
        <Icon name="settings" />{" "}
        <span class="settings-words">
          {revision} · {way === "websocket" ? "WebSocket" : "HTTP"}
        </span>
        <span class="unseen">, settings</span>
      </button>
      <button
        type="button"
        class="quiet wire-toggle"
        aria-expanded={wireOpen.value}
        onClick={() => (wireOpen.value = !wireOpen.value)}
      >
        <Icon name="wire" /> Wire
      </button>
    </header>
  );
}

const STATES: { readonly [state in Connection["state"]]: string } = {
  connecting: "connecting",
  open: "connected",
  lost: "connection lost",
  refused: "refused",
};

function ConnectionState({ connection: { state } }: { readonly connection: Connection }): JSX.Element {
  return (
    <span class={`connection connection-${state}`} role="status">
      <span class="lamp" aria-hidden="true" />
      {STATES[state]}
    </span>
  );
}

/** Brings back what was set aside. */
function WantedButton(): JSX.Element | null {
  const stage = useStage();
  const count = wantedOf(stage).length;
  if (count === 0) return null;
  return (
    <button type="button" class="wanted" onClick={() => bringBack(stage)}>
      <Icon name="question" /> {waitingWords(count)}
    </button>
  );
}
