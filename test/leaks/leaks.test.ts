/**
 * A secret goes through every surface there is, with a tool that misuses it in every way. Then everything that was written
 * down is searched for it: it is found in what the page was sent, and nowhere else.
 */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { memoryJournal, startRun } from "@photon/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Visitor } from "../../packages/server/test/pages/visitor.ts";
import { StatelessClient } from "../clients/raw-client.ts";
import { isWhole } from "../long.ts";
import { verifies } from "../requirements.ts";
import { callAndAnswer, type GoTo } from "./call-misuse.ts";
import { misuseInto, misuses, tracesOf } from "./misuse.ts";
import { openRecorded, recordedTransports } from "./recorded-transports.ts";

const secrets = [
  ["of plain characters", "correct-horse-battery-staple"],
  ["with quotation marks and lines", 'say "hunter2"\nand\\then\tgo'],
  ["beyond ASCII", "пароль-κωδικός-😀"],
  ["with what means something in an address", "a&b=c/d?e+f%20g#h i"],
  ["of digits", "4711000815"],
] as const;

/** Everything is written to a folder of its own, which is searched too. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), "photon-leaks-")));
const usual = process.env["TMPDIR"];

beforeAll(() => {
  process.env["TMPDIR"] = folder;
});

afterAll(() => {
  if (usual === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usual;
  rmSync(folder, { recursive: true, force: true });
});

/** What must not be found, and is. */
const found = (value: string, ...texts: readonly string[]): readonly string[] =>
  tracesOf(value).filter((trace) => texts.some((text) => text.includes(trace)));

const everything = (value: unknown): string =>
  inspect(value, { depth: 30, showHidden: true, maxStringLength: null, maxArrayLength: null });

const files = (): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((one) =>
    one.isFile() ? `${one.name}${readFileSync(join(one.parentPath, one.name), "latin1")}` : one.name,
  );

describe.each(Object.keys(recordedTransports).map((surface, turn) => ({ surface, turn })))(
  "a secret in $surface",
  ({ surface, turn }) => {
    // The surfaces share them, unless all are tried.
    it.each(secrets.filter((_, index) => isWhole || index === turn % secrets.length))(
      verifies("B6", "%s is nowhere but in the requests to the page"),
      { timeout: 30_000 },
      async (_, value) => {
        const given: string[] = [];
        const told: unknown[] = [];
        const pages: string[] = [];
        const { client, traffic } = await openRecorded(surface, {
          tools: [misuseInto(given)],
          report: (error) => void told.push(error, String(error)),
          log: (...entry) => void told.push(entry),
          audit: (entry) => void told.push(entry),
        });
        if (!(client instanceof StatelessClient)) {
          await client.initialize();
          await client.request("logging/setLevel", { level: "debug" });
        }
        const goTo: GoTo = async (url) => {
          const visitor = new Visitor();
          const seen = [
            await visitor.open(url),
            await visitor.answer(url, { f0: value }),
            await visitor.get(url),
          ];
          for (const { headers, text } of seen) pages.push(JSON.stringify(headers), text);
        };

        for (const how of misuses) await callAndAnswer(client, how, goTo);

        expect(given).toEqual(misuses.map(() => value));
        const wire = traffic();
        expect(wire.includes("[secret]")).toBe(true);
        expect(told.length).toBeGreaterThan(misuses.length);
        expect({
          wire: found(value, wire.toString("utf8"), wire.toString("latin1")),
          pages: found(value, ...pages),
          told: found(value, everything(told), JSON.stringify(told)),
          files: found(value, ...files()),
        }).toEqual({ wire: [], pages: [], told: [], files: [] });
      },
    );
  },
);

describe("the journal of a secret", () => {
  it.each(secrets)(verifies("B6", "%s is not in it, whatever the tool does"), async (_, value) => {
    const journals: unknown[] = [];
    for (const how of misuses) {
      const journal = memoryJournal();
      const run = startRun(misuseInto([]), { how } as never, { journal });
      try {
        await run.next();
        const turn = await run.next({ "ask-1": { action: "accept", value } });
        if (!turn.done) await run.next({ "ask-2": { action: "accept", value: "yes" } });
      } catch {
        // Most of them are refused.
      }
      await run.close();
      journals.push(journal.entries);
    }

    expect(JSON.stringify(journals)).toContain('"secret":true');
    expect(found(value, JSON.stringify(journals), everything(journals))).toEqual([]);
  });
});
