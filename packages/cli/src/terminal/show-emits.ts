/**
 * What a tool tells, where a person sees it: a spinner or a bar on a screen, plain lines elsewhere.
 *
 * Not clack's spinner: that one ends the process at ctrl+c, and the tool's
 * `finally` blocks with it.
 */
import { logLevels, type Artifact, type Emit, type Log, type LogLevel } from "@photon/core";
import { cleanText, oneLine } from "./clean-text.ts";
import { LiveLine } from "./live-line.ts";
import { PlainLines } from "./plain-lines.ts";
import type { Terminal } from "./terminal.ts";
import type { Tone } from "./view.ts";

export interface Emits {
  emit(effect: Emit): void | Promise<void>;
  /** Tells something of our own. */
  say(text: string, tone: Tone): void;
  /** Leaves the screen to a prompt. */
  pause(): void;
  /** Nothing more is shown. */
  stop(): void;
}

export interface EmitOptions {
  /** The least level of what is logged. */
  readonly logLevel: LogLevel;
  /** Keeps or describes an artifact; the lines that tell of it. */
  readonly artifact: (effect: Artifact) => Promise<readonly string[]>;
}

export function showEmits(terminal: Terminal, options: EmitOptions): Emits {
  const view = terminal.isScreen ? new LiveLine(terminal) : new PlainLines(terminal);
  const least = logLevels.indexOf(options.logLevel);
  return {
    emit(effect) {
      switch (effect.emit) {
        case "status":
          return view.status(oneLine(effect.message));
        case "progress":
          return view.progress(effect);
        case "log":
          if (logLevels.indexOf(effect.level) >= least) view.line(logText(effect), toneOf(effect.level));
          return undefined;
        case "stream":
          return view.stream(cleanText(effect.text));
        case "artifact":
          return options.artifact(effect).then((lines) => lines.forEach((line) => view.line(line, "plain")));
        default:
          return effect satisfies never;
      }
    },
    say: (text, tone) => view.line(cleanText(text), tone),
    pause: () => view.pause(),
    stop: () => view.stop(),
  };
}

function logText({ level, data }: Log): string {
  return `[${level}] ${cleanText(typeof data === "string" ? data : JSON.stringify(data))}`;
}

function toneOf(level: LogLevel): Tone {
  const at = logLevels.indexOf(level);
  if (at >= logLevels.indexOf("error")) return "red";
  return at >= logLevels.indexOf("warning") ? "yellow" : "dim";
}
