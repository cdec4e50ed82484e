import type { Key } from "node:readline";
import { emitKeypressEvents } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { Keyboard } from "../../src/terminal/keyboard.ts";

const ESCAPE = "\u001B";
const BEGIN = "\u001B[200~";
const END = "\u001B[201~";

/** What a prompt hears of, in its order: the names of keys, pastes in quotes, sentences. */
class Heard {
  readonly all: string[] = [];
  #look = (): void => {};

  readonly add = (one: string): void => {
    this.all.push(one);
    this.#look();
  };

  /** Settles once the last is this one. */
  ends(one: string | RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.#look = () => {
        const last = this.all.at(-1) ?? "";
        if (typeof one === "string" ? last === one : one.test(last)) resolve();
      };
      this.#look();
    });
  }
}

interface Typist {
  readonly heard: Heard;
  /** Types texts, each of which arrives in a read of its own. */
  readonly type: (...reads: readonly string[]) => void;
}

async function sitDown(isEnterAlone: boolean): Promise<Typist> {
  const input = new PassThrough();
  const heard = new Heard();
  const keyboard = new Keyboard({
    input,
    output: new PassThrough().resume(),
    isEnterAlone,
    onPaste: (text) => heard.add(JSON.stringify(text)),
    onNote: heard.add,
  });
  emitKeypressEvents(keyboard.keys);
  keyboard.keys.on("keypress", (_, { name, ctrl }: Key) => heard.add(`${ctrl ? "ctrl+" : ""}${name}`));
  await keyboard.open(new AbortController().signal);
  onTestFinished(() => keyboard.close());
  return {
    heard,
    type(...reads) {
      for (const read of reads) input.emit("data", Buffer.from(read));
    },
  };
}

const isEnter = (one: string): boolean => one === "return";

describe("keys that leave a prompt", () => {
  it.each([
    ["esc and enter", ["\u001B\r"]],
    ["esc, and enter right behind it", [ESCAPE, "\r"]],
    ["text, esc and enter", ["yes\u001B\r"]],
    ["enter, esc and enter", ["\r\u001B\r"]],
    ["esc and a marked paste", [`${ESCAPE}${BEGIN}yes\r${END}`]],
  ])(verifies(["B1", "D2"], "win over an enter: %s"), async (_, reads) => {
    const { heard, type } = await sitDown(false);
    type(...reads);
    await heard.ends(/escape|yes/);

    expect(heard.all.find((one) => one !== "escape" && one !== '"yes\\n"')).toBeUndefined();
    expect(heard.all[0]).toBe("escape");
  });

  it(verifies(["B1", "D2"], "win over an enter: ctrl+d and enter"), async () => {
    const { heard, type } = await sitDown(false);
    type("\u0004\r");
    await heard.ends("ctrl+d");
    type("x");
    await heard.ends("x");

    expect(heard.all).toEqual(["ctrl+d", "x"]);
  });

  it("are not the arrows, not even where a read ends within one", async () => {
    const { heard, type } = await sitDown(false);
    type("\u001B[A", ESCAPE, "[B");
    await heard.ends("down");
    type("\u001B[", "C");
    await heard.ends("right");

    expect(heard.all).toEqual(["up", "down", "right"]);
  });
});

describe("a marked paste", () => {
  it.each([
    ["whole", [`${BEGIN}yes\r${END}`]],
    ["cut after the escape of its begin", [ESCAPE, `[200~yes\r`, END]],
    ["cut within its begin", [`${ESCAPE}[`, `200~yes\r`, END]],
    ["cut within its end", [`${BEGIN}yes\r${ESCAPE}`, "[201~"]],
    ["with an end mark of its own", [`${BEGIN}${END}yes\r${END}`]],
    ["with an end mark of its own, where the read ends", [`${BEGIN}${END}`, `yes\r`, END]],
    ["with an end mark and an enter of its own, where the read ends", [`${BEGIN}${END}yes\r`, END]],
  ])(verifies(["B1", "D2"], "is one paste, and no enter: %s"), async (_, reads) => {
    const { heard, type } = await sitDown(true);
    type(...reads);
    await heard.ends('"yes\\n"');

    expect(heard.all).toEqual(['"yes\\n"']);
  });

  it(verifies(["B1", "D2"], "is not ended by a pause, of which a sentence tells"), async () => {
    const { heard, type } = await sitDown(true);
    type(`${BEGIN}long text `);
    await heard.ends(/^The rest of a paste has not arrived/);
    type("yes\r", END);
    await heard.ends('"long text yes\\n"');

    expect(heard.all).toHaveLength(2);
  });

  it.each([
    ["esc", ESCAPE, "escape"],
    ["ctrl+c", "\u0003", "ctrl+c"],
  ])("whose end does not come is left with %s", async (_, key, name) => {
    const { heard, type } = await sitDown(true);
    type(`${BEGIN}long text `);
    await heard.ends(/^The rest of a paste has not arrived/);
    type(key);
    await heard.ends(name);

    expect(heard.all).toHaveLength(2);
  });

  it("drops the keys that arrive together with its end", async () => {
    const { heard, type } = await sitDown(false);
    type(`${BEGIN}hello${END}yes\r`);
    await heard.ends('"hello"');

    expect(heard.all).toEqual(['"hello"']);
  });
});

describe("an enter where a person must press it", () => {
  const SOON = "Enter came too soon: read the question, then press enter again.";

  it.each([
    ["as soon as the question is drawn", ["\r"]],
    ["with a word, as soon as the question is drawn", ["y", "e", "s", "\r"]],
    ["twice in one read", ["\r\r"]],
  ])(verifies(["B1", "D2"], "does not count %s"), async (_, reads) => {
    const { heard, type } = await sitDown(true);
    type(...reads);
    await heard.ends(SOON);

    expect(heard.all.filter(isEnter)).toEqual([]);
  });

  it("counts at once elsewhere", async () => {
    const { heard, type } = await sitDown(false);
    type("yes\r");
    await heard.ends("return");

    expect(heard.all).toEqual(["y", "e", "s", "return"]);
  });
});

describe("an enter with alt", () => {
  it(verifies("B1", "is no enter, wherever it comes from"), async () => {
    const { keys } = new Keyboard({
      input: new PassThrough(),
      output: new PassThrough(),
      isEnterAlone: false,
      onPaste: () => {},
      onNote: () => {},
    });
    const heard: Key[] = [];
    keys.on("keypress", (_, key: Key) => heard.push(key));
    keys.emit("keypress", undefined, { name: "return", meta: true } satisfies Key);

    expect(heard).toEqual([]);
  });
});
