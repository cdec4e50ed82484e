import type { Progress } from "@photon/core";

/** How loud a line is. */
export type Tone = "plain" | "dim" | "yellow" | "red";

/** How what is told is shown. */
export interface View {
  status(message: string): void;
  progress(progress: Progress): void;
  line(text: string, tone: Tone): void;
  stream(text: string): void;
  pause(): void;
  stop(): void;
}

export const percentOf = (value: number): string => `${Math.round(value * 100)}%`;
