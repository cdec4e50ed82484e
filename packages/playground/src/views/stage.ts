/**
 * What the page itself remembers: what is chosen, what is open, what was typed and not sent.
 *
 * The desk knows nothing of it, and none of it outlives the page but what the address says.
 */
import { signal, type Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Desk } from "../desk/desk.ts";
import { nameOf, type Offer } from "../desk/offer.ts";
import type { Given, Run } from "../desk/run.ts";
import { noteSubmitted } from "./parts/field-in-use.ts";
import type { Drafts } from "./questions/draft.ts";

export type Pane = "offers" | "call" | "wire";

export interface Stage {
  readonly desk: Desk;
  /** The offer that is chosen, by `nameOf`. */
  readonly offerName: Signal<string | undefined>;
  /** The run that is looked at; none: the newest. */
  readonly runId: Signal<string | undefined>;
  /** What a narrow screen shows. */
  readonly pane: Signal<Pane>;
  readonly wireOpen: Signal<boolean>;
  readonly settingsOpen: Signal<boolean>;
  /** Questions that wait until somebody comes back to them. */
  readonly aside: Signal<ReadonlySet<string>>;
  /** The question that somebody wants to see before the others. */
  readonly front: Signal<string | undefined>;
  /** What was typed into the forms of offers. */
  readonly inputs: Signal<ReadonlyMap<string, Given>>;
  /** What was typed into questions that are open. */
  readonly drafts: Map<string, Drafts>;
}

export function openStage(desk: Desk): Stage {
  return {
    desk,
    offerName: signal(undefined),
    runId: signal(undefined),
    // What a reload brought back is looked at; else there is something to be chosen first.
    pane: signal(desk.runs.value.length > 0 ? "call" : "offers"),
    wireOpen: signal(matchMedia("(min-width: 1200px)").matches),
    settingsOpen: signal(false),
    aside: signal(new Set()),
    front: signal(undefined),
    inputs: signal(new Map()),
    drafts: new Map(),
  };
}

export const StageContext = createContext<Stage | undefined>(undefined);

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (stage === undefined) throw new Error("There is no stage around this view.");
  return stage;
}

export function chosenOffer({ desk, offerName }: Stage): Offer | undefined {
  return desk.offers.value.find((offer) => nameOf(offer) === offerName.value);
}

export function shownRun({ desk, runId }: Stage): Run | undefined {
  const runs = desk.runs.value;
  return runs.find(({ id }) => id === runId.value) ?? runs[0];
}

export function choose(stage: Stage, offer: Offer, given?: Given): void {
  if (given !== undefined) setInput(stage, nameOf(offer), given);
  stage.offerName.value = nameOf(offer);
  stage.pane.value = "call";
}

export function setInput({ inputs }: Stage, name: string, given: Given): void {
  inputs.value = new Map(inputs.value).set(name, given);
}

export function callIt(stage: Stage, offer: Offer, given: Given): void {
  noteSubmitted();
  stage.runId.value = stage.desk.call(offer, given).id;
}
