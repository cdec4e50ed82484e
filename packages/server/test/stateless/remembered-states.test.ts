/** States that are remembered as they were sealed are held to what they would be held to if they were opened. */
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { type RequestState, RequestStateCodec } from "../../src/stateless/request-state.ts";
import { SealedBox } from "../../src/crypto/sealed-box.ts";

const KEY = "a key that has thirty-two characters, and more";
const NOW = 1000;
const state: RequestState = { run: "run-1", round: 1, handle: 7, questions: "[]", until: NOW + 1 };

/** More than are remembered. */
function sealMany(states: RequestStateCodec): void {
  for (let handle = 0; handle < 2000; handle++) states.seal({ ...state, handle }, "other");
}

describe("a state that is remembered", () => {
  it("is what was sealed, as often as it comes back", () => {
    const states = new RequestStateCodec(new SealedBox());
    const sealed = states.seal(state, "call");

    expect(states.open(sealed, "call", NOW)).toEqual(state);
    expect(states.open(sealed, "call", NOW)).toEqual(state);
  });

  it(verifies("E3", "does not open with another call, and opens with its own after that"), () => {
    const states = new RequestStateCodec(new SealedBox());
    const sealed = states.seal(state, "call");

    expect(() => states.open(sealed, "another", NOW)).toThrow("Invalid or expired requestState.");
    expect(states.open(sealed, "call", NOW)).toEqual(state);
  });

  it(verifies("E3", "does not open once its time is over, not even for whoever bothers again"), () => {
    const states = new RequestStateCodec(new SealedBox());
    const sealed = states.seal(state, "call");

    for (const now of [state.until, state.until + 1])
      expect(() => states.open(sealed, "call", now)).toThrow("Invalid or expired requestState.");
  });

  it("opens in another process with the same keys, where nothing is remembered", () => {
    const sealed = new RequestStateCodec(new SealedBox([KEY])).seal(state, "call");

    expect(new RequestStateCodec(new SealedBox([KEY])).open(sealed, "call", NOW)).toEqual(state);
  });
});

it(verifies("E3", "a state that is forgotten opens, and with another call it does not"), () => {
  const states = new RequestStateCodec(new SealedBox());
  const sealed = states.seal(state, "call");
  sealMany(states);

  expect(() => states.open(sealed, "another", NOW)).toThrow("Invalid or expired requestState.");
  expect(states.open(sealed, "call", NOW)).toEqual(state);
});

it("a state with a journal is read anew each time: whoever has it goes on writing", () => {
  const states = new RequestStateCodec(new SealedBox());
  const journal: NonNullable<RequestState["journal"]>[number][] = [];
  const sealed = states.seal({ ...state, journal }, "call");
  journal.push({ kind: "step", key: "later", name: "later", result: 1 } as never);

  expect(states.open(sealed, "call", NOW).journal).toEqual([]);
});
