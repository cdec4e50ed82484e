/** The right side: JSON-RPC as it goes over the wire. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import type { Exchange } from "../../desk/exchange.ts";
import { Chunks } from "../parts/chunks.tsx";
import { clip } from "../parts/clip.ts";
import { useFollowing } from "../parts/use-following.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { useStage } from "../stage.ts";
import { ExchangeRow } from "./exchange-row.tsx";
import { EVERYTHING, filterKey, findExchanges, type WireFilter } from "./find-exchanges.ts";

export function WirePane(): JSX.Element {
  const { desk } = useStage();
  const filter = useSignal<WireFilter>(EVERYTHING);
  const wire = desk.wire.value;
  const found = useMemo(() => findExchanges(wire, filter.value), [wire, filter.value]);
  const draw = useCallback((exchange: Exchange) => <ExchangeRow exchange={exchange} />, []);
  const dropped = desk.wireDropped.value;
  const end = useFollowing(found.at(-1)?.id ?? 0, ".exchanges");
  return (
    <div class="wire">
      <header class="wire-head">
        <h2>Wire</h2>
        <span class="count">
          {found.length === wire.length ? wire.length : `${found.length} of ${wire.length}`}
        </span>
        <CopyButton
          bare
          label="Copy all that is shown"
          text={() => found.map(({ from, text }) => `${from === "page" ? "→" : "←"} ${text}`).join("\n")}
        />
        <button type="button" class="quiet" onClick={() => desk.clearWire()}>
          Clear
        </button>
      </header>
      <WireFilters value={filter.value} onChange={(changed) => (filter.value = changed)} />
      <div class="exchanges" tabIndex={0} role="region" aria-label="Messages">
        {dropped > 0 && <p class="nothing">{dropped} older ones were let go.</p>}
        {found.length === 0 && (
          <p class="nothing">
            {wire.length === 0 ? "Nothing has gone over the wire." : "No message is like that."}
          </p>
        )}
        <Chunks items={found} draw={draw} by={filterKey(filter.value)} />
        <div ref={end} />
      </div>
    </div>
  );
}

function WireFilters({
  value,
  onChange,
}: {
  readonly value: WireFilter;
  readonly onChange: (filter: WireFilter) => void;
}): JSX.Element {
  const runs = useStage().desk.runs.value;
  return (
    <div class="wire-filters">
      <input
        type="search"
        aria-label="Search the messages"
        placeholder="Search messages"
        value={value.text}
        onInput={({ currentTarget }) => onChange({ ...value, text: currentTarget.value })}
      />
      <select
        aria-label="Direction"
        value={value.from}
        onChange={({ currentTarget: { value: from } }) =>
          onChange({ ...value, from: from === "page" || from === "server" ? from : "" })
        }
      >
        <option value="">Both ways</option>
        <option value="page">→ sent</option>
        <option value="server">← received</option>
      </select>
      <select
        aria-label="Run"
        value={value.runId}
        onChange={({ currentTarget }) => onChange({ ...value, runId: currentTarget.value })}
      >
        <option value="">Every run</option>
        {runs.map(({ id, offer, began }) => (
          <option key={id} value={id}>
            {clip(offer.name, 40)}, {new Date(began).toLocaleTimeString()}
          </option>
        ))}
      </select>
    </div>
  );
}
