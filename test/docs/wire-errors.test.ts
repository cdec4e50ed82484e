import * as rpcErrors from "../../packages/server/src/jsonrpc/errors.ts";
import { describe, expect, it } from "vitest";
import { isFoundBy, isSaidByNothing, sources, wordsIn } from "./error-sources.ts";
import { readPage } from "./pages.ts";
import { refusalsIn } from "./sentences.ts";

/** What each number is called in the sources. */
const codes = new Map<string, unknown>(
  Object.entries(rpcErrors).filter(([, value]) => typeof value === "number"),
);

const [, page = ""] = readPage("docs/errors.md").split("## Sent to a client");

/** An entry is a number, or an HTTP status, and the words by which it is found. */
const entries = page.split("\n").flatMap((line) => {
  const [, code = "", says = ""] = line.split("|").map((cell) => cell.trim());
  return /^`?-?\d+`?$/.test(code) ? [{ code: Number(code.replaceAll("`", "")), words: wordsIn(says) }] : [];
});

const told = sources
  .filter(({ file }) => file.startsWith("packages/server/"))
  .flatMap(({ file, text }) => refusalsIn(file, text));

describe("docs/errors.md, for whoever is at a client,", () => {
  it("has an entry for every number there is", () => {
    const listed = entries.map(({ code }) => code);

    expect(codes.size).toBeGreaterThan(8);
    expect([...codes].filter(([, code]) => !listed.some((one) => one === code))).toEqual([]);
  });

  it("has no number that does not exist, and none twice", () => {
    const known = [...codes.values(), ...told.map(({ code }) => code)];
    const listed = entries.map(({ code }) => code);

    expect(listed.filter((code) => !known.includes(code))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it("has the words of every sentence in the entry of its number", () => {
    const lost = told
      .filter(({ sentence }) => /[a-z]{2}/.test(sentence))
      .filter(({ code, sentence }) => {
        const number = codes.get(String(code)) ?? code;
        const entry = entries.find((one) => one.code === number);
        return entry?.words.some((words) => isFoundBy(sentence, words)) !== true;
      });

    expect(told.length).toBeGreaterThan(50);
    expect(lost).toEqual([]);
  });

  it("has no words that nothing says", () => {
    expect(entries.flatMap(({ words }) => words).filter(isSaidByNothing)).toEqual([]);
  });
});

describe("a refusal", () => {
  it("is read with its number, or the status it is answered with", () => {
    const source =
      'new RpcError(PARSE_ERROR, "Not JSON."); sendError(response, 406, `Accept ${it}.`); refused(413, "Too long.");' +
      "const sentence = `At most ${most}.`; const code = isNew ? OVER_LIMIT : 413; new RpcError(code, sentence);" +
      "sendError(response, 403, refusal);";

    expect(refusalsIn("a.ts", source)).toEqual([
      { code: "PARSE_ERROR", sentence: "Not JSON." },
      { code: 406, sentence: "Accept …." },
      { code: 413, sentence: "Too long." },
      { code: "OVER_LIMIT", sentence: "At most …." },
      { code: 413, sentence: "At most …." },
      { code: 403, sentence: "…" },
    ]);
  });
});
