import type { OpenQuestion } from "@photon/core";

/** Whether the time of a question is over: what is said to it now comes too late. */
export const isLate = ({ deadline = Infinity }: Pick<OpenQuestion, "deadline">, now: number): boolean =>
  deadline <= now;
