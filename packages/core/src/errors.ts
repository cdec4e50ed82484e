/**
 * The error classes of core.
 *
 * Each has a `code` for programs, which is the same in every release, and a sentence for people. `StepFailed` has the name and
 * code of the error that the step threw, every other one the name of its class. docs/errors.md lists the codes.
 */
import type { Capability } from "./client.ts";

/** The base class of Photon's errors. Programs read `code`. */
export abstract class PhotonError extends Error {
  override readonly name: string = this.constructor.name;
  abstract readonly code: string;
}

/** A question that ended without a valid answer. Thrown into the body at its `yield`. */
export abstract class AskError extends PhotonError {
  /** The key of the question. */
  readonly id: string;

  constructor(id: string, sentence: string) {
    super(sentence);
    this.id = id;
  }
}

/** The person declined the question. */
export class AskDeclined extends AskError {
  readonly code = "ASK_DECLINED";

  constructor(id: string, message: string, note?: string) {
    super(id, withNote(`The person declined to answer ${JSON.stringify(message)} (${id}).`, note));
  }
}

/** The person or the client dismissed the question, or the run was closed. */
export class AskCancelled extends AskError {
  readonly code = "ASK_CANCELLED";

  constructor(id: string, message: string, note?: string) {
    super(id, withNote(`The question ${JSON.stringify(message)} (${id}) was cancelled.`, note));
  }
}

const withNote = (sentence: string, note: string | undefined): string =>
  note === undefined ? sentence : `${sentence} ${note}`;

/** The question was not answered before its deadline. */
export class AskTimedOut extends AskError {
  readonly code = "ASK_TIMED_OUT";

  constructor(id: string, message: string) {
    super(id, `No answer to ${JSON.stringify(message)} (${id}) arrived in time.`);
  }
}

/** The client cannot show this question. */
export class AskUnsupported extends AskError {
  readonly code = "ASK_UNSUPPORTED";

  constructor(id: string, message: string, reason = "the client has no way to show it") {
    // A reason is a phrase of Photon, or a sentence of a policy's author.
    const period = /[.!?]$/.test(reason) ? "" : ".";
    super(id, `${JSON.stringify(message)} (${id}) cannot be asked here: ${reason}${period}`);
  }
}

/** The answer does not fit the question. */
export class InvalidAnswer extends AskError {
  readonly code = "INVALID_ANSWER";
  /** A predicate: "must be at most 30"; of a form: "has a mistake: email is required". */
  readonly problem: string;

  constructor(id: string, message: string, problem: string) {
    super(id, `The answer to ${JSON.stringify(message)} (${id}) ${problem}.`);
    this.problem = problem;
  }
}

/** A question without a possible answer: no options, a minimum above the maximum, a default that does not fit. */
export class InvalidAsk extends PhotonError {
  readonly code = "IMPOSSIBLE_ASK";

  constructor(question: string, problem: string) {
    super(`The question ${JSON.stringify(question)} cannot be asked: ${problem}.`);
  }
}

/** A body yielded a value that is not an effect, or a builder got an invalid argument. */
export class UnknownEffect extends PhotonError {
  readonly code = "UNKNOWN_EFFECT";
}

/** A body created an effect and did not yield it. */
export class UnyieldedEffect extends PhotonError {
  readonly code = "UNYIELDED_EFFECT";
  /** Where it was created, as `file:line:column`, where that is known. */
  readonly location: string | undefined;

  constructor(effect: string, remedy: string, location?: string) {
    const where = location === undefined ? "" : ` at ${location}`;
    super(`${effect} was created${where} and not yielded, so it did nothing: write ${remedy}.`);
    this.location = location;
  }
}

/** A tool, prompt or resource, or one of its options, is invalid. */
export class InvalidDefinition extends PhotonError {
  readonly code = "INVALID_DEFINITION";
}

/** The input does not fit the tool's input schema. */
export class InvalidInput extends PhotonError {
  readonly code = "INVALID_INPUT";

  constructor(tool: string, problem: string) {
    super(`Invalid input for ${tool}: ${problem}.`);
  }
}

/** What the tool returned is not JSON, or does not fit its output schema. */
export class InvalidOutput extends PhotonError {
  readonly code = "INVALID_OUTPUT";

  constructor(tool: string, returned: string) {
    super(`${tool} returned ${returned}.`);
  }
}

/** A malformed reply. It does not reach the run: its sender may send another, except a client on a session. */
export class InvalidReply extends PhotonError {
  readonly code = "ILLEGAL_REPLY";

  constructor(id: string, problem: string) {
    super(`The reply to ${id} is invalid: ${problem}.`);
  }
}

/** The client lacks capabilities that the tool needs. Thrown before the body starts. */
export class MissingCapabilities extends PhotonError {
  readonly code = "NEEDS_UNMET";
  readonly missing: readonly Capability[];

  constructor(tool: string, missing: readonly Capability[]) {
    super(`${tool} needs a client that can do: ${missing.join(", ")}.`);
    this.missing = missing;
  }
}

/** Throw it from a body to make the user open URLs before the call. */
export class UrlRequired extends PhotonError {
  readonly code = "URL_REQUIRED";
  readonly urls: readonly { readonly message: string; readonly url: string }[];

  constructor(urls: readonly { readonly message: string; readonly url: string }[]) {
    super(urls.map(({ message, url }) => `${message}: ${url}`).join("\n"));
    this.urls = urls;
  }
}

/** In a replay, the body asked or did something other than its journal says. */
export class ReplayDiverged extends PhotonError {
  readonly code = "REPLAY_DIVERGED";
}

/** The tool has another version than when the run was started. */
export class ToolVersionChanged extends PhotonError {
  readonly code = "TOOL_CHANGED";

  constructor(tool: string, was: string | undefined, is: string | undefined) {
    super(
      `This run was started by version ${was ?? "(none)"} of ${tool}, which is now version ${is ?? "(none)"}. Call the tool again.`,
    );
  }
}

/** A step returned a value that is not JSON. */
export class StepNotJson extends PhotonError {
  readonly code = "STEP_NOT_JSON";
  /** What it returned, and where: "a Date at .when". */
  readonly found: string;

  constructor(step: string, found: string) {
    super(`The step ${JSON.stringify(step)} returned ${found}; return JSON.`);
    this.found = found;
  }
}

/** A step began in a process that ended before the outcome was recorded. */
export class StepUnknown extends PhotonError {
  readonly code = "STEP_UNKNOWN";
  /** The idempotency key, by which the author can find out whether the step was done. */
  readonly key: string;

  constructor(step: string, key: string) {
    super(
      `The step ${JSON.stringify(step)} began, and its outcome was not recorded (key ${key}); give it { onUnknown }.`,
    );
    this.key = key;
  }
}

/** A step returned a secret, or has one in its name: the journal would contain it. */
export class SecretInStep extends PhotonError {
  readonly code = "SECRET_IN_STEP";

  constructor(step: string, how = "returned a secret") {
    super(`The step ${JSON.stringify(step)} ${how}; keep secrets out of the journal.`);
  }
}

/** The error of a step: the same when the step throws it and when it is replayed from the journal. */
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

/** The tool worked for longer than its `limit`. */
export class ActiveTimeExceeded extends PhotonError {
  readonly code = "LIMIT_EXCEEDED";

  constructor(tool: string, limit: number) {
    super(
      `${tool} worked for longer than its limit of ${limit / 1000} s, not counting the time it waited for answers; give it a longer limit.`,
    );
  }
}

/** The run was closed before it ended. */
export class RunCancelled extends PhotonError {
  readonly code = "RUN_CANCELLED";

  constructor(reason = "The run was cancelled.") {
    super(reason);
  }
}

/** The run was stopped in this process before it ended, and continues elsewhere from its journal. */
export class RunDetached extends PhotonError {
  readonly code = "RUN_DETACHED";

  constructor(run: string) {
    super(`The run ${run} was stopped in this process; it has not ended.`);
  }
}

/** `next()` was called while another `next()` of the run was pending. */
export class RunBusy extends PhotonError {
  readonly code = "RUN_BUSY";

  constructor(runId: string) {
    super(`The run ${runId} is busy; await its next() before you call it again.`);
  }
}

/** An answerer threw. Reported to the host; the next answerer is asked. */
export class AnswererFailed extends PhotonError {
  readonly code = "ANSWERER_FAILED";

  constructor(answerer: string, key: string, options: { readonly cause: unknown }) {
    super(`The answerer ${answerer} failed at the question ${key}.`, options);
  }
}
