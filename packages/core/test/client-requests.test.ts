import { describe, expect, it } from "vitest";
import { InvalidAsk, roots, sample, type SampleMessage } from "@photon/core";
import { verifies } from "../../../test/requirements.ts";

const hi: SampleMessage = { role: "user", content: { type: "text", text: "Say hi" } };

describe("sample", () => {
  it(verifies("A10", "makes frozen data of a text: one message of the user"), () => {
    const effect = sample("Say hi");

    expect(effect).toEqual({ emit: "sample", messages: [hi], maxTokens: 1000 });
    expect(Object.isFrozen(effect)).toBe(true);
  });

  it(verifies("A10", "takes messages and every option"), () => {
    const options = {
      id: "hi",
      maxTokens: 10,
      systemPrompt: "Be brief",
      temperature: 0.5,
      stopSequences: ["."],
      modelPreferences: { speedPriority: 1 },
      timeout: "1m",
      fallback: { unsupported: { role: "assistant", model: "none", content: { type: "text", text: "hi" } } },
    } as const;

    expect(sample([hi], options)).toEqual({ emit: "sample", messages: [hi], ...options });
  });

  it("is not changed by what happens to its messages later", () => {
    const messages = [hi];
    const effect = sample(messages);

    messages.push({ role: "assistant", content: { type: "text", text: "hi" } });

    expect(effect.messages).toEqual([hi]);
  });

  it.each<[string, unknown, object, string]>([
    ["no messages", [], {}, "messages"],
    ["something else", 42, {}, "messages"],
    ["a message of nobody", [{ role: "system", content: hi.content }], {}, "role"],
    ["a message without content", [{ role: "user" }], {}, "content"],
    ["no tokens", "Say hi", { maxTokens: 0 }, "maxTokens"],
    ["half a token", "Say hi", { maxTokens: 1.5 }, "maxTokens"],
    ["a bad id", "Say hi", { id: "a#1" }, "#"],
    ["a bad timeout", "Say hi", { timeout: "soon" }, "soon"],
    ["a bad fallback", "Say hi", { fallback: { never: 1 } }, "never"],
    ["an unknown option", "Say hi", { tempreature: 1 }, "tempreature"],
  ])("is refused with %s, naming itself", (_, prompt, options, words) => {
    const make = (): unknown => sample(prompt as string, options);

    expect(make).toThrow(InvalidAsk);
    expect(make).toThrow('The question "sample" cannot be asked');
    expect(make).toThrow(words);
  });
});

describe("roots", () => {
  it(verifies("A10", "makes frozen data"), () => {
    const effect = roots({ id: "where", timeout: "none", fallback: { unsupported: [] } });

    expect(effect).toEqual({ emit: "roots", id: "where", timeout: "none", fallback: { unsupported: [] } });
    expect(Object.isFrozen(effect)).toBe(true);
    expect(roots()).toEqual({ emit: "roots" });
  });

  it.each([
    ["a bad id", { id: "" }, "id"],
    ["a bad timeout", { timeout: "soon" }, "soon"],
    ["a fallback that is none", { fallback: [] }, "fallback"],
    ["an unknown option", { under: "/home" }, "under"],
  ])("is refused with %s, naming itself", (_, options, words) => {
    const make = (): unknown => roots(options as object);

    expect(make).toThrow(InvalidAsk);
    expect(make).toThrow('The question "roots" cannot be asked');
    expect(make).toThrow(words);
  });
});
