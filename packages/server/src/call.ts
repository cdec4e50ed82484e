/**
 * One call, front to back: input → run → what it tells → what it asks → result.
 *
 * It is the same for tools, prompts and resources, and for every revision: how
 * a question reaches the client is the front's business.
 */
import {
  ask,
  checkArguments,
  checkInput,
  errorResult,
  InvalidInput,
  PhotonError,
  resultOf,
  start,
  UrlRequired,
  type Client,
  type Emit,
  type Ended,
  type Prompt,
  type PromptResult,
  type Replies,
  type Resource,
  type ResourceResult,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
  type Tool,
} from "@photon/core";
import { promptResultOf, resourceResultOf, toolResultOf } from "./mcp/results.ts";
import type { Features } from "./mcp/revisions.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from "./rpc/errors.ts";
import type { Wire } from "./rpc/message.ts";
import type { Settings } from "./settings.ts";

/** The client's side of one call. */
export interface Front {
  readonly features: Features;
  readonly client: Client;
  readonly settings: Settings;
  /** What a run of something is started with, beside what every run is. */
  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace">;
  /** Shows what the body tells. */
  emit(effect: Emit): void | Promise<void>;
  /** Puts questions to the client. What it leaves out is asked again. */
  ask(round: Round, run: Run<unknown>): Promise<Replies>;
  /** The run can be closed from now on. */
  started(run: Run<unknown>): void;
  /** Whether a person can be sent to a web address in the middle of a call, which then begins again. */
  readonly visits: boolean;
  /** What the client is told of an error in words of the protocol's own, if it has any for it. */
  refusal(error: unknown): RpcError | undefined;
}

export async function callTool(tool: Tool<never>, given: unknown, front: Front): Promise<Wire> {
  try {
    const input = await checkInput(tool, given ?? {});
    const ended = await drive(tool, input, front);
    return toolResultOf(await resultOf(tool, ended), front.features);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    // What Photon says itself, the result says too; what the tool threw, its author wants to see.
    if (!(error instanceof PhotonError)) front.settings.report(error);
    return toolResultOf(errorResult(error), front.features);
  }
}

export async function getPrompt(prompt: Prompt<never>, given: unknown, front: Front): Promise<Wire> {
  const input = readArguments(prompt, given ?? {});
  const { value } = await speakingPlainly(drive<PromptResult>(prompt, input, front));
  return promptResultOf(value, prompt, front.features);
}

export async function readResource(
  resource: Resource<never>,
  variables: object,
  uri: string,
  front: Front,
): Promise<Wire> {
  // They were read by the resource's own template; which those are is not in the type of any resource.
  const input = variables as never;
  const { value } = await speakingPlainly(drive<ResourceResult>(resource, input, front));
  return resourceResultOf(value, uri, resource);
}

/** Runs a body to its end; again from the start where it demanded a step elsewhere, and that was taken. */
async function drive<Result>(
  definition: Runnable<never, Result>,
  input: never,
  front: Front,
): Promise<Ended<Result>> {
  for (;;) {
    try {
      return await runOnce(definition, input, front);
    } catch (error) {
      const isVisited = error instanceof UrlRequired && front.visits && (await visit(error, front));
      if (!isVisited) throw front.refusal(error) ?? error;
    }
  }
}

async function runOnce<Result>(
  definition: Runnable<never, Result>,
  input: never,
  front: Front,
): Promise<Ended<Result>> {
  const { clock, report, log, answerers, askTimeout, grace } = front.settings;
  const run = start(definition, input, {
    clock,
    report,
    answerers,
    client: front.client,
    emit: (effect) => {
      if (effect.emit === "log") log?.(effect, definition.name ?? "");
      return front.emit(effect);
    },
    ...front.options(definition),
    ...(askTimeout === undefined ? {} : { askTimeout }),
    ...(grace === undefined ? {} : { grace }),
  });
  front.started(run);
  try {
    let turn = await run.next();
    while (!turn.done) turn = await run.next(await front.ask(turn.round, run));
    return turn;
  } finally {
    await run.close();
  }
}

/** Asks a person to go where they are needed first; whether they will. */
async function visit({ urls }: UrlRequired, front: Front): Promise<boolean> {
  const asks = Object.fromEntries(
    urls.map(({ message, url }, index) => [`url-${index + 1}`, ask.url(message, url)]),
  );
  const visiting: Runnable<never, boolean> = {
    async *run() {
      const { action } = yield* ask.outcome(ask.all(asks));
      return action === "accept";
    },
  };
  const { value } = await runOnce(visiting, undefined as never, front);
  return value;
}

/** A prompt or a resource has no result that says what went wrong; what Photon says about it becomes the error. */
async function speakingPlainly<T>(driving: Promise<T>): Promise<T> {
  try {
    return await driving;
  } catch (error) {
    throw error instanceof PhotonError ? new RpcError(INTERNAL_ERROR, error.message) : error;
  }
}

/** What is wrong with the arguments of a prompt is wrong with the request: there is no result to say it in. */
function readArguments<Input>(prompt: Prompt<Input>, given: unknown): Input {
  try {
    return checkArguments(prompt, given);
  } catch (error) {
    throw error instanceof InvalidInput ? new RpcError(INVALID_PARAMS, error.message) : error;
  }
}
