/** What has to be known before everything else: of the connection, and of what waits for somebody. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Told } from "./parts/told.tsx";
import { useStage } from "./stage.ts";
import { WaitingList } from "./waiting-list.tsx";

export function Banners(): JSX.Element {
  return (
    <div class="banners">
      <ConnectionBanners />
      <WaitingList />
    </div>
  );
}

function ConnectionBanners(): JSX.Element {
  const { desk, settingsOpen } = useStage();
  const connection = desk.connection.value;
  return (
    <section aria-label="About the connection">
      {connection.state === "lost" && (
        <div class="banner warning" role="alert">
          <span>
            The connection was lost: <Told text={connection.problem} most={300} />
          </span>
          <RetryTime at={connection.retryAt} />
          <button type="button" onClick={() => desk.reconnect()}>
            Try now
          </button>
        </div>
      )}
      {connection.state === "refused" && (
        <div class="banner warning" role="alert">
          <span>
            The server refused: <Told text={connection.problem} most={300} />
          </span>
          <button type="button" onClick={() => (settingsOpen.value = true)}>
            Enter a token
          </button>
        </div>
      )}
      {desk.settings.value.revision === "2025-11-25" && (
        <div class="banner">
          In 2025-11-25 a run lives as long as its connection: reloading this page cancels its runs.
        </div>
      )}
    </section>
  );
}

/** Not in the alert's own words: it would be read out every second. */
function RetryTime({ at }: { readonly at: number }): JSX.Element {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [at]);
  const seconds = Math.max(0, Math.ceil((at - now) / 1000));
  return <span aria-hidden="true">{seconds === 0 ? "Trying again…" : `Trying again in ${seconds} s.`}</span>;
}
