/** `photon inbox`: what durable runs wait for, shown and answered from another process than the one that asks (row E6). */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import type { PseudoTerminal, PseudoTerminalOptions } from "./pseudo-terminal.ts";
import { openInProcess, runInProcess, startInProcess } from "./run-in-process.ts";
import {
  temporaryFolder,
  type Ended,
  type RunningCommand,
  type TemporaryFolder,
} from "./temporary-folder.ts";

const GREET = `
import { appendFileSync } from "node:fs";
import { ask, step, tool } from "@photon/core";
export const greet = tool({
  description: "Greets by name",
  durable: true,
  async *run() {
    const name = yield* ask.text("Name?", { id: "name", maxLength: 10 });
    yield* step("note", () => appendFileSync(new URL("done.txt", import.meta.url), name + "\\n"));
    const sure = yield* ask.confirm("Sure?", { id: "sure" });
    if (!sure) throw new Error("Not sure.");
    return "Hello " + name;
  },
});
`;

const LOGIN = `
import { ask, tool } from "@photon/core";
export const login = tool({
  durable: true,
  async *run() {
    const { action } = yield* ask.outcome(ask.secret("Password?", { id: "password" }));
    return "It was a " + action + ".";
  },
});
`;

const TRIP = `
import { ask, tool } from "@photon/core";
export const trip = tool({
  durable: true,
  async *run() {
    const { to, from } = yield* ask.all({ from: ask.text("Where from?"), to: ask.text("Where to?") });
    return from + " to " + to;
  },
});
`;

const REMOVE = `
import { ask, tool } from "@photon/core";
export const remove = tool({
  title: "Delete a customer",
  description: "Deletes a customer and all of their orders",
  input: { type: "object" },
  durable: true,
  async *run() {
    return (yield* ask.confirm("Delete it?", { id: "sure", dangerous: true })) ? "Deleted." : "Kept.";
  },
});
`;

const VISIT = `
import { ask, tool } from "@photon/core";
export const visit = tool({
  durable: true,
  async *run() {
    yield* ask.url("Sign in", "https://example.org/in", { id: "page" });
    return "Signed in.";
  },
});
`;

const STORE = "sqlite:photon.db";
const keys = { PHOTON_KEYS: randomBytes(32).toString("base64"), PHOTON_STORE: STORE };

const tools = {
  "remove.photon.js": REMOVE,
  "greet.photon.js": GREET,
  "login.photon.js": LOGIN,
  "trip.photon.js": TRIP,
  "visit.photon.js": VISIT,
};
const SERVE = ["serve", "--transport=http", "--port=0"];

/** A folder with tools, and a process that serves them and keeps its runs in a file. */
function servingProcess(): { place: TemporaryFolder; server: RunningCommand; serve: () => RunningCommand } {
  const place = temporaryFolder(tools);
  const serve = (): RunningCommand => place.start(SERVE, keys);
  return { place, server: serve(), serve };
}

interface Serving {
  readonly server: Listening;
  readonly folder: string;
  /** Runs the command in the process of the test. It shares only the store with the server. */
  readonly photon: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ended>;
  readonly terminal: (options?: Partial<PseudoTerminalOptions>) => PseudoTerminal;
}

/** A folder with tools, and a server in the process of the test, which keeps its runs in a file. */
function serving(): Serving {
  const { folder } = temporaryFolder(tools);
  return {
    server: startInProcess(SERVE, { cwd: folder, env: keys }),
    folder,
    photon: (args, env = keys) => runInProcess(args, { cwd: folder, env }),
    terminal: (options) => openInProcess(["inbox"], { cwd: folder, env: keys, ...options }),
  };
}

type Listening = Pick<RunningCommand, "url">;

/** Calls the tool as a client that goes away as soon as it is asked. */
async function callAndLeave(server: Listening, name = "greet", input = {}): Promise<void> {
  const url = new URL(`${await server.url()}/mcp`);
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name,
        arguments: input,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
        },
      },
    }),
  });
  expect(await response.text()).toContain("input_required");
}

interface Listed {
  readonly runs: readonly { readonly run: string; readonly questions: readonly { readonly key: string }[] }[];
}

async function onlyRun({ photon }: Pick<TemporaryFolder, "photon">): Promise<string> {
  const { stdout } = await photon(["inbox", "--json"], keys);
  // What the command prints as JSON is what the test is about.
  const { runs } = JSON.parse(stdout) as Listed;
  expect(runs).toHaveLength(1);
  return runs[0]?.run ?? "";
}

describe("photon inbox", { timeout: 60_000 }, () => {
  it(verifies("E6", "shows what is asked, since when, until when, and of whom"), async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server);

    const { stdout, stderr, exitCode } = await place.photon(["inbox", "--list", "--store", STORE]);

    expect(stdout).toMatch(
      /^greet {2}[0-9a-f-]{36} {2}asked \d+ seconds? ago\n {2}Greets by name\n {2}name: Name\? \(.*expires in 7 days\)\n$/,
    );
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  it("shows what the tool is and what it was called with, and no escape sequence of either", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server, "remove", { id: 42, name: "Ada\u001B[2J\u009B2J" });

    const { stdout } = await place.photon(["inbox", "--list"]);

    expect(stdout).toContain("\n  Delete a customer: Deletes a customer and all of their orders\n");
    expect(stdout).toMatch(/\n {2}input: \{"id":42,"name":"Ada[^"]*"\}\n {2}sure: Delete it\?/);
    expect(stdout).toMatch(/\n {2}sure: Delete it\? \(dangerous; yes or no; expires in 7 days\)\n/);
    expect(stdout).not.toContain("\u001B");
    expect(stdout).not.toContain("\u009B");
  });

  it(
    verifies(["E4", "E6"], "answers, has a server go on with the run, and prints what it ended with"),
    async () => {
      const { place, server } = servingProcess();
      await callAndLeave(server);
      const run = await onlyRun(place);

      const first = await place.photon(["inbox", run, "--answer", "name=Ada, L."], keys);
      const second = await place.photon(["inbox", run, "--answer", "sure=yes"], keys);
      const again = await place.photon(["inbox", run, "--json"], keys);

      expect(first.stderr).toContain("The run has resumed, and now asks:");
      expect(first.stderr).toContain("sure: Sure?");
      expect(second).toEqual({ stdout: "Hello Ada, L.\n", stderr: "", exitCode: 0 });
      expect(JSON.parse(again.stdout)).toMatchObject({
        run,
        tool: "greet",
        result: { content: [{ type: "text" }] },
      });
    },
  );

  it("takes a yes to something dangerous from the command line that names the question", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server, "remove");

    const letter = await place.photon(["inbox", await onlyRun(place), "--answer", "sure=y"]);
    const { stdout } = await place.photon(["inbox", await onlyRun(place), "--answer", "sure=yes"]);

    expect(letter).toMatchObject({ stdout: "", exitCode: 1 });
    expect(letter.stderr).toContain('the whole word "yes"');

    expect(stdout).toBe("Deleted.\n");
  });

  it(
    verifies(["E2", "E6"], "takes an answer while no server runs; the run continues when one starts"),
    async () => {
      const { place, server, serve } = servingProcess();
      await callAndLeave(server);
      const run = await onlyRun(place);
      server.child.kill("SIGKILL");
      await server.exitCode;

      const answered = await place.photon(["inbox", run, "--answer", "name=Ada", "--wait", "300ms"], keys);
      const next = serve();
      await next.url();
      const ended = await place.photon(
        ["inbox", run, "--json", "--answer", "sure=yes", "--wait", "30s"],
        keys,
      );

      expect(answered.stderr).toContain(
        "Answered. No server has resumed the run yet; it resumes when one starts.",
      );
      expect(JSON.parse(ended.stdout)).toMatchObject({ result: { content: [{ text: "Hello Ada" }] } });
    },
  );

  it("tells what a run failed with, exit code 1", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server);
    const run = await onlyRun(place);
    await place.photon(["inbox", run, "--answer", "name=Ada"]);

    const { stdout, stderr, exitCode } = await place.photon(["inbox", run, "--decline", "sure"]);

    expect({ stdout, stderr, exitCode }).toEqual({ stdout: "", stderr: "Not sure.\n", exitCode: 1 });
  });

  it.each([
    ["--answer", "sure=no"],
    ["--decline", "sure"],
    ["--cancel", "sure"],
  ])("says that a run has ended to who answers it by %s, exit code 1", async (...flags) => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server);
    const run = await onlyRun(place);
    for (const answer of ["name=Ada", "sure=yes"]) await place.photon(["inbox", run, "--answer", answer]);

    const plain = await place.photon(["inbox", run, ...flags]);
    const json = await place.photon(["inbox", run, "--json", ...flags]);
    const { PHOTON_STORE: store, ...others } = keys;
    const typed = await place.photon(["inbox", run, "--store", store, ...flags], others);
    expect(typed.stderr).toContain(`npx photon inbox --store ${store} ${run} shows its result.`);
    const looked = await place.photon(["inbox", run]);

    expect(plain).toMatchObject({ stdout: "", exitCode: 1 });
    expect(plain.stderr).toContain(`The run ${run} has ended`);
    expect(json).toMatchObject({ stderr: plain.stderr, exitCode: 1 });
    expect(JSON.parse(json.stdout)).toMatchObject({ run, result: { content: [{ text: "Hello Ada" }] } });
    expect(looked).toEqual({ stdout: "Hello Ada\n", stderr: "", exitCode: 0 });
  });

  it("says that another way was faster to who answers at the prompt, exit code 1", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server);
    const run = await onlyRun(place);
    const terminal = place.terminal();
    await terminal.shows(/Name\?[^]*└/);
    await place.photon(["inbox", run, "--answer", "name=Ada"]);
    terminal.type("Bob");
    await terminal.shows("Bob█");
    terminal.press("enter");

    expect(await terminal.exit).toBe(1);
    expect(terminal.text).toContain("it is not open");
    const { stdout } = await place.photon(["inbox", run, "--answer", "sure=yes"]);
    expect(stdout).toBe("Hello Ada\n");
  });

  it("refuses an answer that does not fit, and the question stays open", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server);
    const run = await onlyRun(place);

    const { stderr, exitCode } = await place.photon(["inbox", run, "--answer", "name=much too long"]);

    expect({ stderr, exitCode }).toEqual({
      stderr: 'The answer to "Name?" (name) must have at most 10 characters.\n',
      exitCode: 1,
    });
    expect(await onlyRun(place)).toBe(run);
  });

  it("asks in the terminal, then asks the next question of the run, and leaves open a question that is left", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server);
    const terminal = place.terminal();

    await terminal.shows("Name?");
    await terminal.shows("ctrl+d declines, esc leaves it open");
    terminal.type("Ada");
    await terminal.shows("Ada█");
    terminal.press("enter");
    await terminal.shows("Sure?");
    await terminal.shows(/Sure\?[\s\S]*Yes/);
    terminal.press("escape");
    await terminal.shows("Left open.");

    expect(await terminal.exit).toBe(0);
    expect(await place.photon(["inbox", "--list"])).toMatchObject({
      stdout: expect.stringContaining("sure: Sure?"),
    });
  });

  it("does not ask again what was left open, and leaves everything at ctrl+c", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server, "trip");
    await callAndLeave(server);
    await callAndLeave(server);
    const terminal = place.terminal();

    await terminal.shows(/◆ {2}Where from\?/);
    terminal.press("escape");
    await terminal.shows(/Left open\.[\s\S]*◆ {2}Where to\?/);
    terminal.type("Rome");
    await terminal.shows("Rome█");
    terminal.press("enter");
    await terminal.shows(/◆ {2}Name\?/);
    expect(terminal.text).not.toContain("Cancelled.");
    expect(terminal.text.match(/Where from\?\n/g)).toHaveLength(1);
    terminal.press("ctrl+c");

    expect(await terminal.exit).toBe(130);
    const { stdout } = await place.photon(["inbox", "--list"]);
    expect(stdout.match(/name: Name\?|from: Where from\?/g)).toHaveLength(3);
    expect(stdout).not.toContain("Where to?");
  });

  it("says where a secret is given, and how to decline it here", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server, "login");
    const run = await onlyRun(place);
    const where = "a secret is given on a page of the server, and the client that called leads there";

    const listed = await place.photon(["inbox", "--list"]);
    const terminal = place.terminal({ columns: 240 });
    await terminal.shows(
      `password: ${where}. Here you can only decline or cancel it: npx photon inbox ${run} --decline password`,
    );
    const given = await place.photon(["inbox", run, "--answer", "password=hunter2"]);
    const declined = await place.photon(["inbox", run, "--decline", "password"]);

    expect(listed.stdout).toContain(`password: Password? (${where}; expires in `);
    expect(await terminal.exit).toBe(0);
    expect(given.exitCode).toBe(1);
    expect(given.stderr).toContain("it is answered only on a page of the server");
    expect(given.stderr).not.toContain("hunter2");
    expect(declined).toEqual({ stdout: "It was a decline.\n", stderr: "", exitCode: 0 });
  });

  it("says that the store does not have a run", async () => {
    const place = serving();
    await callAndLeave(place.server);
    const { stderr, exitCode } = await place.photon(["inbox", "3efe", "--wait", "100ms"]);

    expect({ stderr, exitCode }).toEqual({
      stderr: "There is no run 3efe in the store. Give the whole id, as photon inbox lists it.\n",
      exitCode: 1,
    });
  });

  it("takes nothing but a yes or no for a visit", async () => {
    const place = serving();
    const { server } = place;
    await callAndLeave(server, "visit");
    const run = await onlyRun(place);
    const refused = await place.photon(["inbox", run, "--answer", "page=hunter2"]);
    const answered = await place.photon(["inbox", run, "--answer", "page=yes"]);

    expect(refused).toEqual({
      stdout: "",
      stderr:
        'The answer to "Sign in" (page) must be yes or no; open https://example.org/in to answer there.\n',
      exitCode: 1,
    });
    expect(answered).toEqual({ stdout: "Signed in.\n", stderr: "", exitCode: 0 });
  });

  it("says so where what waits was sealed with other keys, or is more than was wanted", async () => {
    const place = serving();
    const { server } = place;
    for (let calls = 0; calls < 3; calls++) await callAndLeave(server);
    const others = { ...keys, PHOTON_KEYS: randomBytes(32).toString("base64") };

    const sealed = await place.photon(["inbox", "--list"], others);
    const some = await place.photon(["inbox", "--list", "--limit", "2"]);

    expect(sealed).toEqual({
      stdout: "",
      stderr: "3 runs are encrypted with other keys: set PHOTON_KEYS to the keys of the servers.\n",
      exitCode: 0,
    });
    expect(some.stdout.match(/^greet/gm)).toHaveLength(2);
    expect(some.stderr).toBe("There are more runs: --limit 4 shows up to 4.\n");
  });

  it.each([
    [["inbox", "--store", "memory:", "--limit", "0"], keys, "--limit is a whole number from 1."],
    [["inbox"], {}, "photon inbox needs a store: npx photon inbox --store sqlite:photon.db"],
    [["inbox", "--store", "sqlite:none.db"], keys, "There is no store at none.db"],
    [["inbox", "--store", "memory:"], {}, "--store needs PHOTON_KEYS"],
    [
      ["inbox", "--store", "memory:", "--answer", "a=b"],
      keys,
      "--answer needs a run: npx photon inbox --store memory: <run> --answer key=value; --list shows them.",
    ],
    [["inbox", "--store", "memory:", "run", "--answer", "a"], {}, '--answer takes id=value, not "a".'],
    [
      ["inbox", "--store", "memory:", "run", "--decline", "a", "--cancel", "a"],
      {},
      '"a" is given to more than one of --answer, --decline and --cancel; give it to one.',
    ],
    [["inbox", "--store", "memory:", "one", "two"], keys, 'photon inbox takes one run; remove "two".'],
    [["serve", "--store", "sqlite:photon.db"], {}, "--store needs PHOTON_KEYS"],
    [
      ["serve", "--store", "nowhere:"],
      { PHOTON_KEYS: keys.PHOTON_KEYS },
      "The address of a store must be sqlite:<file>",
    ],
  ] as const)("says what is wrong with %j", async (args, env, sentence) => {
    const { folder } = temporaryFolder({ "greet.photon.js": GREET });
    const { stderr, exitCode } = await runInProcess(args, { cwd: folder, env });

    expect(stderr).toContain(sentence);
    expect(exitCode).toBe(2);
  });
});
