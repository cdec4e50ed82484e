import * as core from "@photon/core";
import * as server from "@photon/server";
import { describe, expect, it } from "vitest";
import { isFoundBy, isSaidByNothing, sources, wordsIn } from "./error-sources.ts";
import { readPage } from "./pages.ts";
import { sentencesIn, type Said } from "./sentences.ts";

/** The code of every error class. */
const codes = sources
  .flatMap(({ text }) => [...text.matchAll(/\bcode(?: = |: string = |.* \?\? )"([A-Z_]+)"/g)])
  .map(([, code = ""]) => code);

const page = readPage("docs/errors.md");
const [table = "", invalid = ""] = page.split("## What an invalid definition says");

/** What an entry has, and the words by which it is found. */
const entries = table.split("\n").flatMap((line) => {
  const [, code = "", name = "", says = ""] = line.split("|").map((cell) => cell.trim());
  if (!/^`[A-Z_]+`$/.test(code)) return [];
  const words = code === "`INVALID_DEFINITION`" ? wordsIn(invalid) : wordsIn(says);
  return [{ code: code.slice(1, -1), name: name.slice(1, -1), words }];
});

/** What is said by a class, or where it leaves that to others by those. */
function saidBy(name: string, all: readonly Said[]): readonly string[] {
  const said = all.filter(({ by }) => by === name);
  const own = said.filter(({ isItsOwn }) => isItsOwn);
  // What is made of nothing but what it was given is not found by its words.
  return (own.length > 0 ? own : said).map(({ sentence }) => sentence).filter((one) => /[a-z]{2}/.test(one));
}

describe("docs/errors.md", () => {
  it("says of every exported error class that it extends PhotonError", () => {
    const exported: readonly unknown[] = [...Object.values(core), ...Object.values(server)];
    const prototypes = exported.flatMap((one): unknown[] =>
      typeof one === "function" ? [one.prototype] : [],
    );
    const errors = prototypes.filter((one) => one instanceof Error && one !== core.PhotonError.prototype);

    expect(errors.length).toBeGreaterThan(20);
    expect(errors.filter((one) => !(one instanceof core.PhotonError))).toEqual([]);
  });

  it("has an entry for the code of every error there is", () => {
    const told = entries.map(({ code }) => code);

    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !told.includes(code))).toEqual([]);
  });

  it("names no error code that does not exist", () => {
    expect(entries.filter(({ code }) => !codes.includes(code))).toEqual([]);
  });

  it("has the words of every sentence in the entry of its error", () => {
    const said = sources.flatMap(({ file, text }) => sentencesIn(file, text));
    // The command says these, of what was just typed: they need no page to be understood.
    const looked = entries.filter(({ code }) => !["USAGE", "CANNOT_LOAD"].includes(code));
    const sentences = looked.flatMap(({ name, words }) =>
      saidBy(name, said).map((sentence) => ({ name, words, sentence })),
    );

    const lost = sentences.filter(({ sentence, words }) => !words.some((one) => isFoundBy(sentence, one)));

    expect(sentences.length).toBeGreaterThan(60);
    expect(lost.map(({ name, sentence }) => `${name}: ${sentence}`)).toEqual([]);
  });

  it("has no words of which a part stands in another entry: a search leads to one", () => {
    const parts = entries.flatMap(({ code, words }) =>
      words.flatMap((one) => one.split("…").map((part) => ({ code, part: part.trim() }))),
    );
    // Shorter ones are told apart by what stands beside them.
    const searched = parts.filter(({ part }) => part.split(" ").length > 3);

    const ambiguous = searched.filter(({ code, part }) =>
      entries.some((other) => other.code !== code && other.words.some((words) => words.includes(part))),
    );

    expect(searched.length).toBeGreaterThan(40);
    expect(ambiguous).toEqual([]);
  });

  it("has no words that nothing says", () => {
    expect(entries.flatMap(({ words }) => words).filter(isSaidByNothing)).toEqual([]);
  });
});

describe("a sentence", () => {
  it("is what a class says, or where that says nothing of its own what it is made with", () => {
    const said = sentencesIn(
      "a.ts",
      "class A extends B { constructor(port: number) { super(`Port ${port} is taken.`); } }" +
        'class C extends B { constructor(why = "Over.") { super(why); } }' +
        'throw isLate ? new C("Too late.") : new C(why === "" ? `Late: ${why}` : `Never`);',
    );

    expect(saidBy("A", said)).toEqual(["Port … is taken."]);
    expect(saidBy("C", said)).toEqual(["Over.", "Too late.", "Late: …", "Never"]);
  });
});
