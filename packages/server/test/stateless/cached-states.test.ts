/** A state that is cached is accepted exactly where it would be accepted if it was decrypted. */
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { type RequestState, RequestStateCodec } from "../../src/stateless/request-state.ts";
import { SealedBox } from "../../src/crypto/sealed-box.ts";

const KEY = "a key that has thirty-two characters, and more";
const NOW = 1000;
const state: RequestState = { run: "run-1", round: 1, waitId: 7, questions: "[]", until: NOW + 1 };

const codec = (keys?: readonly string[]): RequestStateCodec =>
  new RequestStateCodec(new SealedBox(keys), { stateBytes: 10_000 });

/** More than are cached. */
function encryptMany(states: RequestStateCodec): void {
  for (let waitId = 0; waitId < 2000; waitId++) states.encrypt({ ...state, waitId }, "other", "greet");
}

describe("a cached state", () => {
  it("is what was encrypted, as often as it comes back", () => {
    const states = codec();
    const encrypted = states.encrypt(state, "call", "greet");

    expect(states.decrypt(encrypted, "call", NOW)).toEqual(state);
    expect(states.decrypt(encrypted, "call", NOW)).toEqual(state);
  });

  it(verifies("E3", "is rejected with another call, and accepted with its own after that"), () => {
    const states = codec();
    const encrypted = states.encrypt(state, "call", "greet");

    expect(() => states.decrypt(encrypted, "another", NOW)).toThrow("Invalid or expired requestState.");
    expect(states.decrypt(encrypted, "call", NOW)).toEqual(state);
  });

  it(verifies("E3", "is rejected once it has expired, each time"), () => {
    const states = codec();
    const encrypted = states.encrypt(state, "call", "greet");

    for (const now of [state.until, state.until + 1])
      expect(() => states.decrypt(encrypted, "call", now)).toThrow("Invalid or expired requestState.");
  });

  it("is accepted in another process with the same keys, which has not cached it", () => {
    const encrypted = codec([KEY]).encrypt(state, "call", "greet");

    expect(codec([KEY]).decrypt(encrypted, "call", NOW)).toEqual(state);
  });
});

it(verifies("E3", "a state that is no longer cached is accepted, and with another call rejected"), () => {
  const states = codec();
  const encrypted = states.encrypt(state, "call", "greet");
  encryptMany(states);

  expect(() => states.decrypt(encrypted, "another", NOW)).toThrow("Invalid or expired requestState.");
  expect(states.decrypt(encrypted, "call", NOW)).toEqual(state);
});

it("a state with a journal is not cached: the journal grows", () => {
  const states = codec();
  const journal: NonNullable<RequestState["journal"]>[number][] = [];
  const encrypted = states.encrypt({ ...state, journal }, "call", "greet");
  journal.push({ kind: "step", key: "later", name: "later", result: 1 } as never);

  expect(states.decrypt(encrypted, "call", NOW).journal).toEqual([]);
});
