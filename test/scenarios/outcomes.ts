/** How calls end whose client lacks a capability. */
import { expect } from "vitest";
import type { ServerFixture } from "./fixture.ts";

/** The result of a call, or its error. */
export const outcomeOf = (calling: Promise<unknown>): Promise<unknown> =>
  calling.catch((error: unknown) => error);

/** In 2026-07-28, an error that names what is missing; else a result with this sentence. */
export const unsupported = (fixture: ServerFixture, sentence: string, requiredCapabilities: object): object =>
  fixture.isStateless
    ? { code: -32021, message: expect.stringContaining(sentence), data: { requiredCapabilities } }
    : { isError: true, text: expect.stringContaining(sentence) };

/** The same for docs/clients.md. */
export const unsupportedIn = (fixture: ServerFixture): string =>
  fixture.isStateless ? "error -32021" : "a result that says so";
