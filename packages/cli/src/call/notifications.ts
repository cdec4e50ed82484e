// oxlint-disable typescript/no-deprecated -- logs are leaving the protocol, and servers still send them
/** What a server sends while it works: logs and progress, held back while a prompt is open. */
import { LOG_LEVEL_META_KEY, type Client, type RequestOptions } from "@modelcontextprotocol/client";
import type { Emit, Json, LogLevel } from "@photon/core";
import type { EmitPrinter } from "../terminal/emit-printer.ts";

/** Keeps output back while a prompt has the screen to itself. Of status and progress, only the last is kept. */
export class BufferedOutput {
  readonly #printer: Pick<EmitPrinter, "emit" | "print">;
  #held: (Emit | string)[] | undefined;

  constructor(printer: Pick<EmitPrinter, "emit" | "print">) {
    this.#printer = printer;
  }

  /** Shows an effect, or a line that a command wrote to stderr. */
  show(shown: Emit | string): void {
    if (this.#held !== undefined) this.#held.push(shown);
    else if (typeof shown === "string") this.#printer.print(shown, "dim");
    else void this.#printer.emit(shown);
  }

  setPaused(isPaused: boolean): void {
    if (isPaused) {
      this.#held ??= [];
      return;
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    const last = held.findLastIndex(isTransient);
    for (const [index, shown] of held.entries()) if (!isTransient(shown) || index === last) this.show(shown);
  }
}

const isTransient = (shown: Emit | string): boolean =>
  typeof shown !== "string" && (shown.emit === "status" || shown.emit === "progress");

interface LogOptions {
  readonly level: LogLevel;
  /** Whether `--log-level` was given. */
  readonly isRequested: boolean;
}

/** Shows what the server logs during a call of a tool; returns the `_meta` with which the call asks for logs. */
export async function receiveLogs(
  client: Client,
  tool: string,
  { level, isRequested }: LogOptions,
  output: BufferedOutput,
  request: RequestOptions,
): Promise<{ readonly [key: string]: unknown }> {
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const { logger, data } = params;
    // Photon's servers use the name of the tool as the logger, and the user knows that name.
    const isNamed = logger !== undefined && logger !== tool && typeof data === "string";
    // It came as JSON.
    output.show({ emit: "log", level: params.level, data: isNamed ? `${logger}: ${data}` : (data as Json) });
  });
  // In 2026-07-28 each call names its level; a session keeps a level until another is set.
  if (client.getProtocolEra() === "modern") return { [LOG_LEVEL_META_KEY]: level };
  if (isRequested && client.getServerCapabilities()?.logging !== undefined)
    await client.setLoggingLevel(level, request);
  return {};
}

interface ProgressParams {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/**
 * Turns progress notifications into status or progress effects.
 *
 * A server that only has messages must invent a figure that increases. If the figure has changed by less than can be
 * seen, the message is shown as a status.
 */
export class ProgressReader {
  #figure = 0;

  read({ progress, total, message = "" }: ProgressParams): Emit {
    const share = total === undefined || total <= 0 ? undefined : Math.min(Math.max(progress / total, 0), 1);
    const figure = share === undefined ? this.#figure : Math.floor(share * 1000);
    const hasChanged = figure !== this.#figure;
    this.#figure = figure;
    if (share === undefined || (message !== "" && !hasChanged))
      return { emit: "status", message: message === "" ? `Working (${progress})` : message };
    return { emit: "progress", value: share, ...(message === "" ? {} : { message }) };
  }
}
