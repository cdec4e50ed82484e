import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, tool, UrlRequired } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { callInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { serve } from "./servers.ts";

const anything = { type: "object" as const };

describe("photon call without a terminal", { timeout: 20_000 }, () => {
  it(verifies(["C11", "D2"], "answers with lines of stdin, in the order of the questions"), async () => {
    const talk = tool({
      name: "talk",
      async *run() {
        const name = yield* ask.text("Who?");
        const both = yield* ask.all({ age: ask.number("How old?"), sure: ask.confirm("Sure?") });
        return { name, ...both };
      },
    });
    const url = await serve({ tools: [talk] });
    const { stdout, exitCode } = await callInProcess([`${url}/mcp`, "talk"], { input: "Ada\n36\ny\n" });

    expect(JSON.parse(stdout)).toEqual({ name: "Ada", age: 36, sure: true });
    expect(exitCode).toBe(0);
  });

  it("answers as often as a tool asks, in every revision", async () => {
    const patient = tool({
      name: "patient",
      async *run() {
        let sum = 0;
        for (let round = 0; round < 15; round += 1) sum += yield* ask.number("And?");
        return `${sum}`;
      },
    });
    const url = await serve({ tools: [patient] });
    const input = Array.from({ length: 15 }, (_, n) => `${n}\n`).join("");

    expect((await callInProcess([`${url}/mcp`], { input })).stdout).toBe("105\n");
    expect((await callInProcess([`${url}/sse`], { input })).stdout).toBe("105\n");
  });

  const nights = tool({
    name: "nights",
    async *run() {
      const count = yield* ask.number("How many nights?", { id: "nights", min: 1, max: 30 });
      const sure = yield* ask.confirm("Sure?", { id: "sure" });
      return { count, sure };
    },
  });

  it(verifies("B3", "looks for another answer of the same id where the first does not fit"), async () => {
    const url = await serve({ tools: [nights] });
    const { stdout, stderr } = await callInProcess(
      [`${url}/mcp`, "--answer", "nights=many", "--answer", "nights=31", "--answer", "nights=3"],
      { input: "yes\n" },
    );

    expect(JSON.parse(stdout)).toEqual({ count: 3, sure: true });
    expect(stderr).toContain('The answer to "How many nights?" (nights) must be a number.');
    expect(stderr).toContain('The answer to "How many nights?" (nights) must be at most 30.');
  });

  it(verifies("B1", "takes no line for the answer to a question it was not meant for"), async () => {
    const url = await serve({ tools: [nights] });
    const { stdout, stderr, exitCode } = await callInProcess([`${url}/mcp`], { input: "31\n3\n" });

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toContain('The question "How many nights?" (nights) was cancelled.');
  });

  it("ends at the first question without an answer, with --no-input", async () => {
    const url = await serve({ tools: [nights] });
    const { stderr, exitCode } = await callInProcess([`${url}/mcp`, "--no-input"], { input: "3\ny\n" });

    expect(stderr).toContain('An answer is needed to "How many nights?" (nights)');
    expect(exitCode).toBe(1);
  });

  it(
    verifies("B1", "says no for who says so in a file, and writes answers down that can be given again"),
    async () => {
      const url = await serve({ tools: [nights] });
      const place = temporaryFolder({
        "no.json": JSON.stringify({ nights: 2, sure: { $action: "decline" } }),
      });
      const first = await callInProcess([`${url}/mcp`, "--answers", "no.json", "--record", "kept.json"], {
        place,
      });
      const kept = readFileSync(join(place.folder, "kept.json"), "utf8");
      const again = await callInProcess([`${url}/mcp`, "--answers", "kept.json"], { place });

      expect(JSON.parse(first.stdout)).toEqual({ count: 2, sure: false });
      expect(JSON.parse(kept)).toEqual({ nights: 2, sure: { $action: "decline" } });
      expect(again.stdout).toBe(first.stdout);
    },
  );

  it("declines and cancels the questions that --decline and --cancel name", async () => {
    const url = await serve({
      tools: [
        tool({
          name: "both",
          async *run() {
            const first = yield* ask.outcome(ask.text("A?"));
            const second = yield* ask.outcome(ask.text("B?", { id: "b" }));
            return [first.action, second.action];
          },
        }),
      ],
    });
    const { stdout } = await callInProcess([`${url}/mcp`, "--decline", "ask-1", "--cancel", "b"]);

    expect(JSON.parse(stdout)).toEqual(["decline", "cancel"]);
  });

  it("says that an answer was given to no question", async () => {
    const silent = tool({
      name: "silent",
      async *run() {
        return "Nothing to ask.";
      },
    });
    const url = await serve({ tools: [silent] });
    const { stderr } = await callInProcess([`${url}/mcp`, "--answer", "naem=Ada"]);

    expect(stderr).toContain("naem");
  });

  it("names the field of a form that does not fit", async () => {
    const receipt = tool({
      name: "receipt",
      async *run() {
        const email = ask.text("Email", { format: "email" });
        return yield* ask.form("Who gets the receipt?", { email }, { id: "contact" });
      },
    });
    const url = await serve({ tools: [receipt] });
    const { stderr } = await callInProcess([`${url}/mcp`, "--answer", 'contact={"email":"ada"}']);

    expect(stderr).toContain(
      'The answer to "Who gets the receipt?" (contact) has a mistake: email must be an email address.',
    );
  });

  it(verifies("C4", "shows the whole URL, and continues once the visit is done"), async () => {
    const address = "https://example.com/sign-in?state=0123456789#top";
    const visit = tool({
      name: "visit",
      async *run() {
        yield* ask.url("Sign in", address, { id: "page" });
        return "Signed in.";
      },
    });
    const url = await serve({ tools: [visit] });
    const { stdout, stderr } = await callInProcess([`${url}/mcp`, "--answer", "page=done"]);

    expect(stderr).toContain(`?  Sign in (${address})`);
    expect(stdout).toBe("Signed in.\n");
  });

  it.each<[string, readonly string[], string]>([
    ["on the command line", ["--answer", "key=hunter2222"], ""],
    ["as a line", [], "hunter2222\n"],
  ])(
    verifies("B6", "says where a secret is given, and takes none that is given %s"),
    async (_, args, input) => {
      const login = tool({
        name: "login",
        async *run() {
          return (yield* ask.secret("Key?", { id: "key" })).reveal().length;
        },
      });
      const url = await serve({ tools: [login] });
      const { stderr, exitCode } = await callInProcess([`${url}/mcp`, ...args], { input });

      expect(stderr).toMatch(
        /The answer to "Key\?" \(key\) must be yes or no; open http:\/\/\S+ to answer there\.\n/,
      );
      expect(stderr).not.toContain("hunter2222");
      expect(stderr).not.toContain("declined");
      expect(exitCode).toBe(1);
    },
  );

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "visits what a tool demands in %s, and calls it again",
    async (maxRevision) => {
      let isKnown = false;
      const guarded = tool({
        name: "guarded",
        async *run() {
          if (isKnown) return "Welcome.";
          isKnown = true;
          throw new UrlRequired([{ message: "Sign in first", url: "https://example.com/" }]);
        },
      });
      const url = await serve({ tools: [guarded], maxRevision });
      const { stdout, stderr } = await callInProcess([`${url}/mcp`], { input: "done\n" });

      expect(stderr).toContain("?  Sign in first (https://example.com/)");
      expect(stdout).toBe("Welcome.\n");
    },
  );

  it("tells a server the folder it is in only where it was told to", async () => {
    const { roots } = await import("@photon/core");
    const where = tool({
      name: "where",
      input: anything,
      async *run() {
        return yield* roots();
      },
    });
    const url = await serve({ tools: [where] });
    const place = temporaryFolder();
    const told = await callInProcess([`${url}/mcp`, "--root"], { place });
    const kept = await callInProcess([`${url}/mcp`], { place });

    expect(told.stdout).toContain(`file://${place.folder}`);
    expect(kept).toMatchObject({ stdout: "", exitCode: 1 });
    expect(kept.stderr).toContain("--root");
  });

  it("has no model for a server that wants one, and says so", async () => {
    const { sample } = await import("@photon/core");
    const clever = tool({
      name: "clever",
      async *run() {
        return yield* sample("Think!");
      },
    });
    const url = await serve({ tools: [clever] });
    const modern = await callInProcess([`${url}/mcp`]);
    const session = await callInProcess([`${url}/sse`]);

    expect(modern).toMatchObject({ stdout: "", exitCode: 1 });
    expect(modern.stderr).toBe("The tool asks for a language model, and a terminal has none.\n");
    expect(session).toMatchObject({ stdout: "", exitCode: 1 });
  });
});
