/**
 * The calls that were handed over, and the tools that continue them: `photon_continue` and `photon_answer`.
 *
 * A call belongs to the principal that began it. Other principals get the same answer as for a call that does not exist.
 */
import { type Replies, type Round, RunCancelled, type Tool } from "@photon/core";
import type { Accounts } from "../accounts.ts";
import type { CallProgress, CallRunner } from "../calls/call-runner.ts";
import type { Catalog } from "../catalog.ts";
import { toolListing } from "../protocol/listings.ts";
import type { PageHost } from "../pages/page-host.ts";
import { CallPages } from "../pages/call-pages.ts";
import { answerableUntil } from "../calls/question-deadlines.ts";
import type { WaitingCalls } from "../calls/waiting-calls.ts";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import type { DurableClientPort } from "../durable/drive-call.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import type { HandedOverCall, HandoverMode } from "./handed-over-call.ts";
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

export interface HandoverContext {
  readonly settings: Settings;
  readonly accounts: Accounts;
  readonly waitingCalls: WaitingCalls;
  readonly pageHost: PageHost;
  readonly catalog: Catalog;
  /** The runs of durable tools, if there is a store. */
  readonly runs: RunRepository | undefined;
}

/** What a call starts with: its result, or a call that runs a body, with replies where it continues one. */
type Started =
  | { readonly result: JsonObject }
  | { readonly call: HandedOverCall; readonly replies?: Replies | undefined };

/** Runs a call that may be handed over. The modules it needs are loaded with its first `next`. */
class HandoverRunner implements CallRunner {
  readonly #start: () => Promise<Started>;
  #call: HandedOverCall | undefined;

  constructor(start: () => Promise<Started>) {
    this.#start = start;
  }

  async next(replies?: Replies): Promise<CallProgress> {
    if (this.#call !== undefined) return this.#call.advance(replies);
    const started = await this.#start();
    if ("result" in started) return started;
    this.#call = started.call;
    return this.#call.advance(started.replies);
  }

  async close(): Promise<void> {
    await this.#call?.close();
  }

  async detach(): Promise<void> {
    await this.#call?.detach();
  }
}

export class HandoverManager {
  readonly #context: HandoverContext;
  /** Calls that wait in this process, by run. */
  readonly #byRun = new Map<string, HandedOverCall>();
  #durable: DurableHandovers | undefined;
  #loading: Promise<DurableHandovers> | undefined;

  constructor(context: HandoverContext) {
    this.#context = context;
  }

  /** The calls whose runs are in the store, from the first one on. */
  get durable(): DurableHandovers | undefined {
    return this.#durable;
  }

  /** Calls a tool, and hands over the questions that its client cannot show. */
  call(tool: Tool<never>, input: unknown, mode: HandoverMode, clientPort: DurableClientPort): CallRunner {
    const { accounts, pageHost, settings } = this.#context;
    return new HandoverRunner(async () => {
      if (tool.durable === true) await this.#loadDurable();
      const { principal, features } = clientPort;
      const account = clientPort.account ?? accounts.of(principal);
      const pages = new CallPages(pageHost.open, { server: settings.name, tool: tool.name ?? "", principal });
      // Clients that know the output schema of a tool accept no other text than an error.
      const hasOutputSchema = "outputSchema" in toolListing(tool, features);
      const { HandedOverCall: Call } = await import("./handed-over-call.ts");
      const options = { tool, input, mode, pageHost, pages, account };
      return { call: new Call(options, { clientPort, hasOutputSchema }, this) };
    });
  }

  /** Continues a call that was handed over, by one of the two tools. */
  continueCall(name: string, input: unknown, clientPort: DurableClientPort): CallRunner {
    return new HandoverRunner(() => this.#continue(name, input, clientPort));
  }

  async #continue(name: string, input: unknown, clientPort: DurableClientPort): Promise<Started> {
    const { run, action = "accept", answer } = isRecord(input) ? input : {};
    if (typeof run !== "string") return refused("run is the text that the call which waits has given.");
    if (name !== CONTINUE && !isAction(action)) return refused(WRONG_ACTION);
    const relayed = name === CONTINUE || !isAction(action) ? undefined : { action, answer };
    const caller = { clientPort, hasOutputSchema: false };
    const stored = parseRunRef(run);
    const durable = await this.#loadDurable();
    if (stored !== undefined && durable !== undefined)
      return durable.continueCall({ ...stored, relayed }, caller);
    const { runs } = this.#context;
    const owner = this.ownerOf(input);
    if (owner !== undefined) return refused(elsewhere((await runs?.isAlive(owner)) === true));
    const call = this.#byRun.get(runs === undefined ? run : parseOwnedRef(run).run);
    if (call?.principal !== clientPort.principal || call.until === undefined) return refused(NO_CALL);
    const continued = await call.continueWith(caller, relayed);
    return "result" in continued ? continued : { call, replies: continued.replies };
  }

  /** The process that has the call which a model continues, where that is another one. */
  ownerOf(input: unknown): string | undefined {
    const { runs } = this.#context;
    const run = isRecord(input) ? input["run"] : undefined;
    if (runs === undefined || typeof run !== "string") return undefined;
    const { process } = parseOwnedRef(run);
    return process === runs.process ? undefined : process;
  }

  /** What a model continues a run by that waits in this process. Resolves when other processes know that this one lives. */
  async refTo(run: string): Promise<string> {
    const { runs, settings } = this.#context;
    if (runs === undefined) return run;
    // Where other processes cannot be told, this one continues the call all the same.
    await runs.announceProcess().catch(settings.report);
    return encodeOwnedRef(run, runs.process);
  }

  /** Adds a call that waits in this process; throws where there is no place for it. Gives back until when it may wait. */
  add(call: HandedOverCall, round: Round): number {
    const { waitingCalls, settings } = this.#context;
    if (!this.#byRun.has(call.runId)) waitingCalls.assertCapacity(call.account);
    const until = answerableUntil(round, settings);
    waitingCalls.add(call, until);
    this.#byRun.set(call.runId, call);
    return until;
  }

  remove(call: HandedOverCall): void {
    if (this.#byRun.get(call.runId) === call) this.#byRun.delete(call.runId);
    this.#context.waitingCalls.remove(call);
  }

  async close(): Promise<void> {
    const reason = new RunCancelled("The server was closed.");
    const closing = [...this.#byRun.values()].map((call) => call.close(reason));
    this.#durable?.close();
    await Promise.all(closing);
  }

  /** Loaded when it is first used; undefined without a store. */
  #loadDurable(): Promise<DurableHandovers> | undefined {
    const { runs } = this.#context;
    if (runs === undefined) return undefined;
    this.#loading ??= import("./durable-handover.ts").then(({ DurableHandovers: Loaded }) => {
      this.#durable = new Loaded({ ...this.#context, runs }, this);
      return this.#durable;
    });
    return this.#loading;
  }
}

const refused = (reason: string): Started => ({ result: errorResult(reason) });

const WRONG_ACTION = "action is accept, decline or cancel.";

const isAction = (action: unknown): action is RelayedAnswer["action"] =>
  action === "accept" || action === "decline" || action === "cancel";

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

/** Both tools, as they are listed. */
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
