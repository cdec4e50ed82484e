/** The left side: everything that can be called, and a search over it. */
import { useSignal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { nameOf, type Offer } from "../../desk/offer.ts";
import { clip } from "../parts/clip.ts";
import { Icon } from "../parts/icons.tsx";
import { choose, useStage } from "../stage.ts";
import { findOffers } from "./find-offers.ts";
import { moveFocus } from "./move-focus.ts";

const GROUPS = [
  { kind: "tool", title: "Tools" },
  { kind: "prompt", title: "Prompts" },
  { kind: "resource", title: "Resources" },
  { kind: "template", title: "Resource templates" },
] as const;

/** As the list shows them: group after group. */
const inOrder = (offers: readonly Offer[]): readonly Offer[] =>
  GROUPS.flatMap(({ kind }) => offers.filter((offer) => offer.kind === kind));

export function OfferList(): JSX.Element {
  const stage = useStage();
  const { desk } = stage;
  const search = useSignal("");
  const list = useRef<HTMLDivElement>(null);
  const found = inOrder(findOffers(desk.offers.value, search.value));
  // The list is one stop for Tab; arrows go on from there.
  const stop = found.find((offer) => nameOf(offer) === stage.offerName.value) ?? found[0];
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      const first = found[0];
      if (first === undefined) return;
      choose(stage, first);
      // The next Tab goes into the form, not through the list.
      requestAnimationFrame(() => document.querySelector<HTMLElement>("#call-title")?.focus());
    } else if (list.current !== null) moveFocus(event, list.current);
  };
  return (
    <div class="offers" onKeyDown={onKeyDown}>
      <SearchBox value={search.value} onInput={(text) => (search.value = text)} />
      <p class="unseen" role="status">
        {search.value === "" ? "" : `${found.length} found`}
      </p>
      <div class="offer-groups" ref={list}>
        {GROUPS.map(({ kind, title }) => (
          <OfferGroup
            key={kind}
            title={title}
            offers={found.filter((offer) => offer.kind === kind)}
            stop={stop}
          />
        ))}
        {found.length === 0 && <Nothing searched={search.value !== ""} />}
      </div>
    </div>
  );
}

function Nothing({ searched }: { readonly searched: boolean }): JSX.Element {
  const { state } = useStage().desk.connection.value;
  if (searched) return <p class="nothing">Nothing has these words.</p>;
  return <p class="nothing">{state === "open" ? "The server offers nothing." : "Not connected yet."}</p>;
}

function SearchBox({
  value,
  onInput,
}: {
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusIt = (event: KeyboardEvent): void => {
      const typing = event.target instanceof Element && event.target.matches("input, textarea, select");
      if (event.key !== "/" || typing || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener("keydown", focusIt);
    return () => removeEventListener("keydown", focusIt);
  }, []);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="unseen">Search tools, prompts and resources</span>
      <input
        ref={box}
        type="search"
        value={value}
        placeholder="Search ( / )"
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </label>
  );
}

function OfferGroup({
  title,
  offers,
  stop,
}: {
  readonly title: string;
  readonly offers: readonly Offer[];
  readonly stop: Offer | undefined;
}): JSX.Element | null {
  if (offers.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>
        {title} <span class="count">{offers.length}</span>
      </h2>
      <ul>
        {offers.map((offer) => (
          <li key={nameOf(offer)}>
            <OfferButton offer={offer} isStop={offer === stop} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function OfferButton({ offer, isStop }: { readonly offer: Offer; readonly isStop: boolean }): JSX.Element {
  const stage = useStage();
  const button = useRef<HTMLButtonElement>(null);
  const isChosen = stage.offerName.value === nameOf(offer);
  useEffect(() => {
    // A link may have chosen it.
    if (isChosen) button.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const asking = stage.desk.questions.value.some(
    ({ runId, waitsFor }) =>
      waitsFor !== "server" &&
      stage.desk.runs.value.some((run) => run.id === runId && nameOf(run.offer) === nameOf(offer)),
  );
  const description = offer.description ?? (offer.kind === "resource" ? offer.uri : "");
  return (
    <button
      ref={button}
      type="button"
      class="offer"
      aria-current={isChosen ? "true" : undefined}
      title={clip(offer.name)}
      tabIndex={isStop ? 0 : -1}
      onClick={() => choose(stage, offer)}
    >
      <Icon name={offer.kind} />
      <span class="offer-words">
        <span class="offer-name">{clip(offer.title ?? offer.name, 80)}</span>
        <span class="offer-description">{clip(description, 120)}</span>
      </span>
      {asking && (
        <span class="badge" title="It asks something">
          <span aria-hidden="true">?</span>
          <span class="unseen">asks something</span>
        </span>
      )}
    </button>
  );
}
