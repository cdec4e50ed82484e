/**
 * The scenarios: what a client of the official SDK gets from a server, by transport and revision.
 *
 * `suites.mjs` says which of them run where. What a revision cannot carry is expected as the error that says so.
 */
import { readFileSync } from "node:fs";
import { revisions, type Revision } from "@photon/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTables } from "../../scripts/clients-table.mjs";
import { cancelledQuestions, cancelledWork } from "./cancelling.ts";
import { capabilities } from "./capabilities.ts";
import { concurrentCalls } from "./concurrent-calls.ts";
import { disconnecting } from "./disconnecting.ts";
import { ServerFixture } from "./fixture.ts";
import { declinedAndCancelled, invalidAnswers, lateAnswers, malformedReplies } from "./non-answers.ts";
import {
  connecting,
  deliveryBeforeResponses,
  progress,
  resultsAndLogs,
  unknownTools,
} from "./progress-and-results.ts";
import { addedTools, promptsAndResources, updatedResources } from "./prompts-and-resources.ts";
import { otherQuestions, questionsInARow, questionsOnPages, sequences, textQuestion } from "./questions.ts";
import { recordsOf } from "./record.ts";
import { contains, type Suite } from "./suites.mjs";
import type { Feature, ScenarioTransport } from "./transport.ts";
import {
  noHandover,
  pages,
  relayedQuestions,
  secretsOnPages,
  secretsNotRelayed,
} from "./when-unsupported.ts";

/** A process starts within a second, unless the machine is busy. */
const TIMEOUT_MS = 20_000;
const page = new URL("../../docs/clients.md", import.meta.url);

function suiteOf({ fullIn = [] }: ScenarioTransport, revision: Revision): Suite {
  if (fullIn.includes(revision)) return "full";
  return revision >= "2025-11-25" ? "connection" : "smoke";
}

export function scenarios(transport: ScenarioTransport): void {
  const carried = revisions.filter(
    (revision) => revision !== "2026-07-28" || transport.onDisconnect.stateless !== undefined,
  );
  describe.each(carried)(`${transport.name}, %s`, { timeout: TIMEOUT_MS }, (revision) => {
    const suite = suiteOf(transport, revision);
    const fixture = openFixture(transport, revision);
    smoke(fixture);
    if (contains(suite, "connection")) connection(fixture);
    if (contains(suite, "full")) full(fixture);

    if (suite === "smoke") return;
    describe.each(["page", "relay"] as const)("with whenUnsupported: %s", (whenUnsupported) => {
      const handing = openFixture(transport, revision, whenUnsupported);
      if (transport.lacks?.whenUnsupported !== undefined) noHandover(handing, whenUnsupported);
      else if (whenUnsupported === "page") {
        pages(handing);
        if (suite === "full") secretsOnPages(handing);
      } else {
        relayedQuestions(handing);
        if (suite === "full") secretsNotRelayed(handing);
      }
    });
  });

  describe("docs/clients.md", () => {
    it(`says of ${transport.name} what these scenarios have recorded; if not, run npm run clients`, ({
      task,
    }) => {
      const documented = parseTables(readFileSync(page, "utf8")).filter(
        (one) => one.transport === transport.name,
      );

      expect(sentencesOf(documented)).toEqual(sentencesOf(recordsOf(task.file)));
    });
  });
}

function smoke(fixture: ServerFixture): void {
  connecting(fixture);
  progress(fixture);
  textQuestion(fixture);
  declinedAndCancelled(fixture);
  cancelledWork(fixture);
  disconnecting(fixture);
}

function connection(fixture: ServerFixture): void {
  deliveryBeforeResponses(fixture);
  questionsInARow(fixture);
  questionsOnPages(fixture, "secret");
  lateAnswers(fixture);
  concurrentCalls(fixture);
  cancelledQuestions(fixture);
  if (has(fixture, "a second response to a question")) malformedReplies(fixture);
  if (has(fixture, "prompts and resources")) updatedResources(fixture);
  if (has(fixture, "tools that are added while the server runs")) addedTools(fixture);
}

function full(fixture: ServerFixture): void {
  resultsAndLogs(fixture);
  otherQuestions(fixture);
  questionsOnPages(fixture, "file");
  sequences(fixture);
  invalidAnswers(fixture);
  capabilities(fixture);
  if (has(fixture, "prompts and resources")) promptsAndResources(fixture);
  if (has(fixture, "an error for an unknown tool")) unknownTools(fixture);
}

const has = ({ transport }: ServerFixture, feature: Feature): boolean =>
  transport.lacks?.[feature] === undefined;

/** A fixture that is open during the tests of this block. */
function openFixture(
  transport: ScenarioTransport,
  revision: Revision,
  whenUnsupported?: "page" | "relay",
): ServerFixture {
  const fixture = new ServerFixture(transport, revision, whenUnsupported && { whenUnsupported });
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  return fixture;
}

/** The records in a fixed order, without repetitions. */
function sentencesOf(records: ReturnType<typeof parseTables>): readonly string[] {
  const sentences = records.map(
    ({ revision, feature, behaviour }) => `${revision}, ${feature}: ${behaviour}`,
  );
  return [...new Set(sentences)].toSorted();
}
