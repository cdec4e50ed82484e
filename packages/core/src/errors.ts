/**
 * The errors of the core.
 *
 * Each has a `code` for programs, which is the same in every release, and a sentence for people. `StepFailed` alone has the
 * code of what the step threw. The codes are listed in docs/errors.md.
 */
import type { Capability } from "./client.ts";

export abstract class PhotonError extends Error {
  abstract readonly code: string;
}

/** A question that came back without an answer. Thrown into the body at its `yield`. */
export abstract class AskError extends PhotonError {
  /** The key of the question. */
  readonly id: string;

  constructor(id: string, sentence: string) {
    super(sentence);
    this.id = id;
  }
}

/** The person said no. */
export class AskDeclined extends AskError {
  override readonly name = "AskDeclined";
  readonly code = "ASK_DECLINED";

  constructor(id: string, message: string, note?: string) {
    super(id, noted(`The person declined to answer ${JSON.stringify(message)} (${id}).`, note));
  }
}

/** The person, the client or the closing of the run dismissed the question. */
export class AskCancelled extends AskError {
  override readonly name = "AskCancelled";
  readonly code = "ASK_CANCELLED";

  constructor(id: string, message: string, note?: string) {
    super(id, noted(`The question ${JSON.stringify(message)} (${id}) was cancelled.`, note));
  }
}

/** A sentence, followed by what the host has noted about the reply. */
const noted = (sentence: string, note: string | undefined): string =>
  note === undefined ? sentence : `${sentence} ${note}`;

/** Nobody answered in time. */
export class AskTimedOut extends AskError {
  override readonly name = "AskTimedOut";
  readonly code = "ASK_TIMED_OUT";

  constructor(id: string, message: string) {
    super(id, `Nobody answered ${JSON.stringify(message)} (${id}) in time.`);
  }
}

/** The other side has no way to show this question. */
export class AskUnsupported extends AskError {
  override readonly name = "AskUnsupported";
  readonly code = "ASK_UNSUPPORTED";

  constructor(id: string, message: string, reason?: string) {
    super(
      id,
      `${JSON.stringify(message)} (${id}) cannot be asked here: ${ended(reason ?? "the client has no way to show it")}`,
    );
  }
}

/** A reason is a phrase of ours, or a sentence of whoever wrote it. */
const ended = (reason: string): string => (/[.!?]$/.test(reason) ? reason : `${reason}.`);

/** The answer came back but does not fit the question. */
export class InvalidAnswer extends AskError {
  override readonly name = "InvalidAnswer";
  readonly code = "INVALID_ANSWER";
  /** What is wrong with it: "must be at most 30"; of a form: "has a mistake: email is required". */
  readonly problem: string;

  constructor(id: string, message: string, problem: string) {
    super(id, `The answer to ${JSON.stringify(message)} (${id}) ${problem}.`);
    this.problem = problem;
  }
}

/** A question nobody could answer: no options, a minimum above the maximum, a default that does not fit. */
export class InvalidAsk extends PhotonError {
  override readonly name = "InvalidAsk";
  readonly code = "IMPOSSIBLE_ASK";

  constructor(question: string, problem: string) {
    super(`The question ${JSON.stringify(question)} cannot be asked: ${problem}.`);
  }
}

/** Something was yielded, or made to be yielded, that means nothing here. */
export class UnknownEffect extends PhotonError {
  override readonly name = "UnknownEffect";
  readonly code = "UNKNOWN_EFFECT";
}

/** A body made an effect and did not yield it. */
export class UnyieldedEffect extends PhotonError {
  override readonly name = "UnyieldedEffect";
  readonly code = "UNYIELDED_EFFECT";
  /** Where it was made, as `file:line:column`, where that is known. */
  readonly place: string | undefined;

  constructor(effect: string, remedy: string, place?: string) {
    const where = place === undefined ? "" : ` at ${place}`;
    super(`${effect} was made${where} and not yielded, so it did nothing: write ${remedy}.`);
    this.place = place;
  }
}

/** A tool, prompt or resource, or one of its settings, is written wrongly. */
export class InvalidDefinition extends PhotonError {
  override readonly name = "InvalidDefinition";
  readonly code = "INVALID_DEFINITION";
}

/** The input does not fit the tool's input schema. */
export class InvalidInput extends PhotonError {
  override readonly name = "InvalidInput";
  readonly code = "INVALID_INPUT";

  constructor(tool: string, problem: string) {
    super(`Invalid input for ${tool}: ${problem}.`);
  }
}

/** What the tool returned does not fit its own output schema. */
export class InvalidOutput extends PhotonError {
  override readonly name = "InvalidOutput";
  readonly code = "INVALID_OUTPUT";

  constructor(tool: string, returned: string) {
    super(`${tool} returned ${returned}.`);
  }
}

/** A reply that is no legal reply at all. It does not reach the run: its sender may send another, except a client on a session. */
export class InvalidReply extends PhotonError {
  override readonly name = "InvalidReply";
  readonly code = "ILLEGAL_REPLY";

  constructor(id: string, problem: string) {
    super(`The reply to ${id} is not a legal reply: ${problem}.`);
  }
}

/** The tool needs what this client cannot do. Thrown before the body starts. */
export class MissingCapabilities extends PhotonError {
  override readonly name = "MissingCapabilities";
  readonly code = "NEEDS_UNMET";
  readonly missing: readonly Capability[];

  constructor(tool: string, missing: readonly Capability[]) {
    super(`${tool} needs a client that can do: ${missing.join(", ")}.`);
    this.missing = missing;
  }
}

/** The tool demands a step outside of the conversation first: throw it from a body. */
export class UrlRequired extends PhotonError {
  override readonly name = "UrlRequired";
  readonly code = "URL_REQUIRED";
  readonly urls: readonly { readonly message: string; readonly url: string }[];

  constructor(urls: readonly { readonly message: string; readonly url: string }[]) {
    super(urls.map(({ message, url }) => `${message}: ${url}`).join("\n"));
    this.urls = urls;
  }
}

/** The body asked or did something else than its journal says. */
export class ReplayDiverged extends PhotonError {
  override readonly name = "ReplayDiverged";
  readonly code = "REPLAY_DIVERGED";
}

/** The tool's version is no longer the one the run was started with. */
export class ToolVersionChanged extends PhotonError {
  override readonly name = "ToolVersionChanged";
  readonly code = "TOOL_CHANGED";

  constructor(tool: string, was: string | undefined, is: string | undefined) {
    super(
      `This run was started by version ${was ?? "(none)"} of ${tool}; it is now ${is ?? "(none)"}. Start it again.`,
    );
  }
}

/** A step returned what cannot be written down. */
export class StepNotJson extends PhotonError {
  override readonly name = "StepNotJson";
  readonly code = "STEP_NOT_JSON";

  /** What it returned, and where: "a Date at .when". */
  readonly found: string;

  constructor(step: string, found: string) {
    super(`The step ${JSON.stringify(step)} returned ${found}; return JSON.`);
    this.found = found;
  }
}

/** A step began before the process ended, and nobody knows whether it was done. */
export class StepUnknown extends PhotonError {
  override readonly name = "StepUnknown";
  readonly code = "STEP_UNKNOWN";
  /** The idempotency key under which to find out. */
  readonly key: string;

  constructor(step: string, key: string) {
    super(
      `The step ${JSON.stringify(step)} was begun and never recorded (key ${key}); give it { onUnknown }.`,
    );
    this.key = key;
  }
}

/** A step tried to put a secret into the journal. */
export class SecretInStep extends PhotonError {
  override readonly name = "SecretInStep";
  readonly code = "SECRET_IN_STEP";

  constructor(step: string, how = "returned a secret") {
    super(`The step ${JSON.stringify(step)} ${how}; keep secrets out of what a journal holds.`);
  }
}

/** What a step threw, the same whether it was thrown just now or read from the journal. */
export class StepFailed extends PhotonError {
  override readonly name: string;
  readonly code: string;
  readonly step: string;

  constructor(
    step: string,
    failure: { readonly name: string; readonly message: string; readonly code?: string },
    options?: { readonly cause: unknown },
  ) {
    super(failure.message, options);
    this.step = step;
    this.name = failure.name;
    this.code = failure.code ?? "STEP_FAILED";
  }
}

/** The tool used up its own time. */
export class ActiveTimeExceeded extends PhotonError {
  override readonly name = "ActiveTimeExceeded";
  readonly code = "LIMIT_EXCEEDED";

  constructor(tool: string, limit: number) {
    super(
      `${tool} worked for longer than its limit of ${limit / 1000} s, not counting the time it waited for answers; give it a longer limit.`,
    );
  }
}

/** The run was closed before its end. */
export class RunCancelled extends PhotonError {
  override readonly name = "RunCancelled";
  readonly code = "RUN_CANCELLED";

  constructor(reason = "The run was cancelled.") {
    super(reason);
  }
}

/** The run was stopped in this process before its end, and continues elsewhere from its journal. */
export class RunDetached extends PhotonError {
  override readonly name = "RunDetached";
  readonly code = "RUN_DETACHED";

  constructor(run: string) {
    super(`The run ${run} was stopped in this process; it has not ended.`);
  }
}

/** A run was told to go on while it was going on already. */
export class RunBusy extends PhotonError {
  override readonly name = "RunBusy";
  readonly code = "RUN_BUSY";

  constructor(runId: string) {
    super(`The run ${runId} is going on already; wait for its next() before you call it again.`);
  }
}

/** An answerer threw. Reported to the host; the next answerer is tried. */
export class AnswererFailed extends PhotonError {
  override readonly name = "AnswererFailed";
  readonly code = "ANSWERER_FAILED";

  constructor(answerer: string, key: string, options: { readonly cause: unknown }) {
    super(`The answerer ${answerer} failed at ${key}.`, options);
  }
}
