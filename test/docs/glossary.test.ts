import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage, root } from "./pages.ts";

const page = readPage("docs/glossary.md");
/** What an entry explains, one word or several: `- **Peer**, **line**: …`. */
const entries = [...page.matchAll(/^- ((?:\*\*[^*]+\*\*(?:, )?)+)/gm)].flatMap(([, head = ""]) =>
  [...head.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word = ""]) => word.toLowerCase()),
);

describe("the glossary", () => {
  it("explains every word once", () => {
    expect(entries.length).toBeGreaterThan(60);
    expect(entries.filter((word, place) => entries.indexOf(word) !== place)).toEqual([]);
  });

  it("has the words that the design is told in", () => {
    const words =
      "ask, answer, answerer, artifact, body, call, client, conversation, decline, effect, emit, exchange, fallback, " +
      "host, journal, needs, outcome, page, parked, peer, principal, question, replay, reply, request state, round, " +
      "run, seal, session, step, store, tool, transport";

    expect(words.split(", ").filter((word) => !entries.includes(word))).toEqual([]);
  });

  it("names files that are there", () => {
    const paths = [...page.matchAll(/`((?:core|server|cli)\/src[\w/.-]*)`/g)].map(([, path = ""]) => path);

    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(root, "packages", path)))).toEqual([]);
  });
});
