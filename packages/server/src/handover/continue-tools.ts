/**
 * The calls that were handed over, and the tools that go on with them.
 *
 * A call belongs to whoever began it: to anybody else it is not there.
 */
import { type Round, RunCancelled, type Tool } from "@photon/core";
import { callTool } from "../calls/call-kinds.ts";
import type { Accounts } from "../accounts.ts";
import type { Catalog } from "../catalog.ts";
import { toolListing } from "../protocol/listings.ts";
import { runToEnd } from "../calls/call-runner.ts";
import type { PageHost } from "../pages/page-host.ts";
import { CallPages } from "../pages/call-pages.ts";
import type { WaitingCalls } from "../calls/waiting-calls.ts";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import type { LocalRunDataStore } from "./process-local.ts";
import type { CallerClient, HandedOverCall, Keeper, HandoverMode } from "./handed-over-call.ts";
import type { DurableHandovers } from "./durable-handover.ts";
import type { RelayedAnswer } from "./relayed-answers.ts";
import {
  ANSWER,
  CONTINUE,
  elsewhere,
  errorResult,
  encodeOwnedRef,
  NO_CALL,
  parseOwnedRef,
  parseRunRef,
} from "./model-text.ts";

/** Where calls are handed over. */
interface HandoverDependencies {
  readonly settings: Settings;
  readonly accounts: Accounts;
  readonly places: WaitingCalls;
  readonly desk: PageHost;
}

export class HandoverManager implements Keeper {
  readonly #settings: Settings;
  readonly #accounts: Accounts;
  readonly #places: WaitingCalls;
  readonly #desk: PageHost;
  readonly #runs: RunRepository | undefined;
  readonly #byRun = new Map<string, HandedOverCall>();
  readonly #catalog: Catalog;
  #custodies: LocalRunDataStore | undefined;
  #keptHandovers: Promise<DurableHandovers> | undefined;

  /** `runs`: where those of durable tools are kept, if there is a store. */
  constructor(
    { settings, accounts, places, desk }: HandoverDependencies,
    catalog: Catalog,
    runs: RunRepository | undefined,
  ) {
    this.#settings = settings;
    this.#accounts = accounts;
    this.#places = places;
    this.#desk = desk;
    this.#catalog = catalog;
    this.#runs = runs;
  }

  /** What is known here of those whose runs a store keeps, from the first call on. */
  get kept(): LocalRunDataStore | undefined {
    return this.#custodies;
  }

  /** Calls a tool, and hands over what its client cannot be asked. */
  async call(
    tool: Tool<never>,
    given: unknown,
    way: HandoverMode,
    caller: CallerClient,
  ): Promise<JsonObject> {
    const { name = "" } = tool;
    if (tool.durable === true) await this.#loadKept();
    const { principal, features } = caller.clientPort;
    const account = caller.clientPort.account ?? this.#accounts.of(principal);
    const pages = new CallPages(this.#desk.open, { server: this.#settings.name, tool: name, principal });
    // Loaded here: most servers hand nothing over.
    const { HandedOverCall: Handing } = await import("./handed-over-call.ts");
    const handed = { tool: name, way, desk: this.#desk, account, weight: estimateBytes(given) };
    const handover = new Handing(handed, caller, pages, this);
    const answer = await handover.begin(async () => {
      try {
        return await runToEnd(callTool(tool, given, handover), (round) => handover.ask(round));
      } finally {
        pages.close();
        this.#byRun.delete(handover.runId);
        this.#places.remove(handover);
      }
    });
    // Clients that were told of a tool's output take nothing else from it but an error: these words are no output.
    return handover.isHandedOver && "outputSchema" in toolListing(tool, features)
      ? { ...answer, isError: true }
      : answer;
  }

  /** Goes on with a call, by one of the two tools. */
  async continueCall(name: string, given: unknown, caller: CallerClient): Promise<JsonObject> {
    const { run, action = "accept", answer } = isRecord(given) ? given : {};
    if (typeof run !== "string") return errorResult("run is the text that the call which waits has given.");
    const place = parseRunRef(run);
    const kept = await this.#loadKept();
    if (place !== undefined && kept !== undefined) {
      if (name === CONTINUE) return kept.continueCall({ ...place, passedOn: undefined }, caller);
      return isAction(action)
        ? kept.continueCall({ ...place, passedOn: { action, answer } }, caller)
        : errorResult(WRONG_ACTION);
    }
    const owner = this.ownerOf(given);
    if (owner !== undefined) return errorResult(elsewhere((await this.#runs?.isAlive(owner)) === true));
    const handover = this.#byRun.get(this.#runs === undefined ? run : parseOwnedRef(run).run);
    if (handover?.principal !== caller.clientPort.principal || handover.until === undefined)
      return errorResult(NO_CALL);
    if (name === CONTINUE) return handover.continueCall(caller);
    return isAction(action) ? handover.answer(caller, { action, answer }) : errorResult(WRONG_ACTION);
  }

  /** The process that alone knows the call which a model wants to go on with, if that is another one. */
  ownerOf(given: unknown): string | undefined {
    const run = isRecord(given) ? given["run"] : undefined;
    if (this.#runs === undefined || typeof run !== "string") return undefined;
    const { process } = parseOwnedRef(run);
    return process === this.#runs.process ? undefined : process;
  }

  nameOf(run: string): string | Promise<string> {
    const runs = this.#runs;
    if (runs === undefined) return run;
    const name = encodeOwnedRef(run, runs.process);
    // Where the others cannot know of this process, it goes on with the call all the same.
    return runs.announceProcess().then(
      () => name,
      (error: unknown) => {
        this.#settings.report(error);
        return name;
      },
    );
  }

  keep(handover: HandedOverCall, round: Round): number {
    if (!this.#byRun.has(handover.runId)) this.#places.assertCapacity(handover.account);
    const until = this.#places.answerableUntil(round);
    this.#places.add(handover, until);
    this.#byRun.set(handover.runId, handover);
    return until;
  }

  async close(): Promise<void> {
    const reason = new RunCancelled("The server was closed.");
    const closing = [...this.#byRun.values()].map((handover) => handover.close(reason));
    await Promise.all([...closing, this.kept?.close()]);
  }

  /** Where those are gone on with whose runs a store keeps, if there is one. Loaded when it is first used. */
  #loadKept(): Promise<DurableHandovers> | undefined {
    const runs = this.#runs;
    if (runs === undefined) return undefined;
    this.#keptHandovers ??= this.#openKept(runs);
    return this.#keptHandovers;
  }

  async #openKept(runs: RunRepository): Promise<DurableHandovers> {
    const premises = {
      settings: this.#settings,
      accounts: this.#accounts,
      places: this.#places,
      desk: this.#desk,
      runs,
    };
    const [{ LocalRunDataStore: Known }, { DurableHandovers: Kept }] = await Promise.all([
      import("./process-local.ts"),
      import("./durable-handover.ts"),
    ]);
    this.#custodies = new Known(premises);
    return new Kept(premises, this.#catalog, this.#custodies, this);
  }
}

const WRONG_ACTION = "action is accept, decline or cancel.";

const isAction = (action: unknown): action is RelayedAnswer["action"] =>
  action === "accept" || action === "decline" || action === "cancel";

/** The tools that continue calls, as they are listed. Loaded when they first are. */

/** The tool that continues a call, as it is listed. */
export const continueTool: JsonObject = {
  name: CONTINUE,
  description:
    "Continues a call that has not ended: at once, where it has more questions than a client shows in one call; where it waits for a person to answer on a page, when they say that they have.",
  inputSchema: {
    type: "object",
    properties: { run: { type: "string", description: "The run, as the call that waits has given it." } },
    required: ["run"],
  },
};

/** The two tools, as they are listed: for everybody, or for nobody. */
export const handoverTools: readonly JsonObject[] = [
  continueTool,
  {
    name: ANSWER,
    description:
      "Goes on with a call that waits for an answer from the person you work for, with what they have said. Never answer in their place.",
    inputSchema: {
      type: "object",
      properties: {
        run: { type: "string", description: "The run, as the call that waits has given it." },
        answer: {
          description:
            "What the person has answered, in the form that the call which waits has shown; for several questions an object by their keys.",
          anyOf: [
            { type: "string" },
            { type: "number" },
            { type: "boolean" },
            { type: "array", items: { type: "string" } },
            { type: "object" },
            { type: "null" },
          ],
        },
        action: {
          type: "string",
          enum: ["accept", "decline", "cancel"],
          description:
            "decline, if they do not want to answer; cancel, if they left it. accept without this.",
        },
      },
      required: ["run"],
    },
  },
];
