/** A run of the wizard without interruption, with which the interrupted runs are compared. */
import { run } from "@photon/core";
import { Ledger } from "./ledger.ts";
import { wizard } from "./wizard.mjs";

export const input = { city: "Rome" };

export const answers: { readonly [key: string]: unknown } = {
  "ask-1": "Ada",
  nights: 3,
  guest: "Bob",
  "guest#2": "Cleo",
  "ask-5": "double",
  "ask-6": true,
};

export interface UninterruptedRun {
  readonly result: unknown;
  /** The keys of its questions, in their order. */
  readonly asked: readonly string[];
  /** The messages of its statuses. */
  readonly told: readonly string[];
  /** The steps that it did. */
  readonly steps: readonly string[];
}

export async function runUninterrupted(): Promise<UninterruptedRun> {
  const ledger = new Ledger();
  const asked: string[] = [];
  const told: string[] = [];
  const result = await run(wizard(ledger.folder), input, {
    ask({ key }) {
      asked.push(key);
      return { action: "accept", value: answers[key] };
    },
    emit(effect) {
      if ("message" in effect && effect.message !== undefined) told.push(effect.message);
    },
  });
  const steps = ledger.done.map(({ step }) => step);
  ledger.remove();
  return { result, asked, told, steps };
}
