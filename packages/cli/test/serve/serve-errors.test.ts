import { EventEmitter, once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { PlaygroundMissing, PortTaken } from "@photon/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { runCli } from "../../src/cli.ts";
import { UsageError } from "../../src/errors.ts";
import { listenError } from "../../src/serve/transports.ts";
import { runInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { says } from "../tool-sources.ts";

/** A port on which another server listens. */
async function takenPort(): Promise<number> {
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void other.close());
  // A server that listens on a port has an address with that port.
  return (other.address() as AddressInfo).port;
}

const hello = { "hello.photon.ts": says("hello", "hello") };

describe("photon serve", { timeout: 20_000 }, () => {
  it(verifies("D5", "says that a port is taken, and how to give another"), async () => {
    const port = await takenPort();

    expect(await temporaryFolder(hello).photon(["serve", "-t", "http", `--port=${port}`])).toEqual({
      stdout: "",
      stderr: `Port ${port} of 127.0.0.1 is taken; stop the process that listens there, or choose another port with --port (0: any that is free).\n`,
      exitCode: 2,
    });
  });

  it(
    verifies("D5", "skips files of a folder that export no tools, with a note, and runs no entry point"),
    async () => {
      const runs = (name: string): string =>
        `import { writeFileSync } from "node:fs";\nwriteFileSync("${name}.ran", "");\n`;
      const place = temporaryFolder({
        "app/hello.ts": says("hello", "hello"),
        "app/prices.ts": "export const prices = [1, 2];\n",
        "app/main.ts": runs("main"),
        "app/index.js": runs("index"),
        "app/hello.test.ts": runs("test"),
        "app/vitest.config.ts": runs("config"),
      });
      const listed = await place.photon(["list", "app"]);
      const server = place.start(["serve", "app", "-t", "http", "--port=0"]);
      await server.url();

      for (const said of [listed.stderr, server.stderr]) expect(said).toMatch(/app\/prices\.ts .*skipped/);
      expect(listed).toMatchObject({ stdout: expect.stringContaining("hello"), exitCode: 0 });
      expect(readdirSync(place.folder).filter((name) => name.endsWith(".ran"))).toEqual([]);
    },
  );

  it("refuses a folder in which no file exports a tool", async () => {
    const place = temporaryFolder({ "app/prices.ts": "export const prices = [1, 2];\n" });

    expect(await place.photon(["serve", "app"])).toMatchObject({
      stderr: expect.stringContaining("It exports no tool"),
      exitCode: 2,
    });
  });

  it.each([
    [
      "that there are no tools",
      {},
      ["serve"],
      /^No tools found: there is no \*\.photon\.ts or \*\.photon\.js in .*; name a file or a folder\.\n$/,
    ],
    ["that a name finds nothing", hello, ["serve", "web"], /^There is no tool file "web": looked in .*\n$/],
    [
      "where a tool file does not compile",
      { "broken.photon.ts": "export const x = ;\n" },
      ["serve"],
      /^broken\.photon\.ts:1:18: .*\n$/,
    ],
    [
      "where a tool file fails when it is loaded",
      { "broken.photon.ts": '\nthrow new Error("no database");\n' },
      ["serve"],
      /^broken\.photon\.ts:2:7: .*no database.*\n$/,
    ],
    [
      "which two tools have one name",
      { "a.photon.ts": says("hello", "a"), "b.photon.ts": says("hello", "b") },
      ["serve"],
      /^Two tools are called "hello": hello in a\.photon\.ts, and hello in b\.photon\.ts; rename one\.\n$/,
    ],
  ])(
    verifies("D5", "says %s, in one line with the place and the way out"),
    async (_, files, args, sentence) => {
      const { stdout, stderr, exitCode } = await temporaryFolder(files).photon(args);

      expect(stderr).toMatch(sentence);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    },
  );

  it.each([
    [["--prot", "3"], 'photon serve has no flag "--prot"; did you mean --port?'],
    [["--dance"], 'photon serve has no flag "--dance"; "npx photon serve --help" lists its flags.'],
    [["--port"], "--port needs a value: --port n."],
    [["--port", "--watch"], "--port needs a value: --port n; or write --port=--watch."],
    [["--port=80x"], '--port is a whole number from 0, not "80x".'],
    [["-t", "http", "--port=65536"], "--port is at most 65535, not 65536."],
    [["--port=1", "--port=2"], "--port is given 2 times; give it once."],
    [["--port", "4000"], "--port is for sse, http and websocket; add --transport=http."],
    [["--idle=5m"], "--idle is for sse, http and websocket; add --transport=http."],
    [["--transport=carrier"], '--transport is any of stdio, sse, http, websocket, all, not "carrier".'],
    [["--transport=http,"], "--transport is any of stdio, sse, http, websocket, all, not nothing."],
    [
      ["--ask-timeout=soon"],
      '--ask-timeout is a length of time like 30s, 5m, 2h or 7d, or none, not "soon".',
    ],
    [["--idle=none"], '--idle is a length of time like 30s, 5m, 2h or 7d, not "none".'],
    [
      ["-t", "http", "--idle=0s"],
      'The idle of a server is "0s"; write it like "500ms", "30s", "5m", "2h" or "7d".',
    ],
    [["--limit=batch=-1"], '--limit batch is a whole number from 0, like --limit batch=100, not "-1".'],
    [["--limit", "batch"], '--limit batch is a whole number from 0, like --limit batch=100, not "".'],
    [["--limit=batch=1", "--limit=batch=2"], "--limit batch is given more than once; give it once."],
    [["--limit"], "--limit needs a value: --limit name=n."],
    [["--log-format=xml"], '--log-format is one of pretty, json, not "xml".'],
    [["--watch=yes"], "--watch takes no value."],
  ])(verifies("D5", "refuses %j with one sentence and exit code 2"), async (args, sentence) => {
    expect(await runInProcess(["serve", ...args], { cwd: temporaryFolder(hello).folder })).toEqual({
      stdout: "",
      stderr: `${sentence}\n`,
      exitCode: 2,
    });
  });

  it("names all limits where one is misspelt, the closest first", async () => {
    const { stderr, exitCode } = await runInProcess(["serve", "--limit=mesageBytes=5"], {
      cwd: temporaryFolder(hello).folder,
    });

    expect(stderr).toMatch(
      /^--limit has no name "mesageBytes"; the names are messageBytes, .*sessions.*\.\n$/,
    );
    expect(exitCode).toBe(2);
  });

  it("takes a flag that is not given from the environment, and names that where it is wrong", async () => {
    const place = temporaryFolder(hello);
    const server = place.start(["serve", "-t", "http"], { PHOTON_PORT: "0", PHOTON_LOG_FORMAT: "json" });
    const wrong = await place.photon(["serve", "-t", "http"], { PHOTON_PORT: "many" });

    expect(JSON.parse(await server.until(/serving/))).toMatchObject({ level: "info" });
    expect(wrong.stderr).toBe('PHOTON_PORT is a whole number from 0, not "many".\n');
  });

  it.each(["localhost", "127.0.0.2"])("listens on %s", async (host) => {
    const server = temporaryFolder(hello).start(["serve", "-t", "http", "--port=0", "--host", host]);
    const line = await server.until(/http:\/\//);
    const { status } = await fetch(/http:\/\/[^/]+/.exec(line)?.[0] ?? "");

    // Without a playground, the root answers 404.
    expect(status).toBe(404);
  });

  it("leaves nothing behind where it cannot begin", async () => {
    const heard = (): readonly number[] =>
      ["unhandledRejection", "uncaughtException"].map((event) => process.listenerCount(event));
    const before = heard();
    const signals = new EventEmitter();
    const [input, output, errorOutput] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const { folder: cwd } = temporaryFolder();
    const io = { input, output, errorOutput, env: {}, cwd, signals };
    expect(await runCli(["serve", "web"], io)).toBe(2);
    output.write("mine");

    expect(String(output.read())).toBe("mine");
    expect(signals.eventNames()).toEqual([]);
    expect(heard()).toEqual(before);
  });

  it("shows where it was thrown with --verbose, and only then", async () => {
    const place = temporaryFolder();

    expect((await place.photon(["serve"])).stderr).not.toContain("    at ");
    expect((await place.photon(["serve", "--verbose"])).stderr).toContain("    at ");
  });
});

describe("a server that cannot listen", () => {
  it("suggests another port only if that helps", () => {
    const missing = new PlaygroundMissing("install @photon/playground");

    const error = listenError(missing, 3001, "127.0.0.1");

    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toBe("The playground cannot be served: install @photon/playground.");
    expect(error.cause).toBe(missing);
    expect(listenError(new PortTaken(3001, "127.0.0.1"), 3001, "127.0.0.1").message).toBe(
      "Port 3001 of 127.0.0.1 is taken; stop the process that listens there, or choose another port with --port (0: any that is free).",
    );
  });

  it("has the reason of Node for any other error", async () => {
    const server = createServer().listen(1, "192.0.2.1");
    const [error] = await once(server, "error").catch((thrown: unknown) => [thrown]);

    expect(listenError(error, 1, "192.0.2.1").message).toMatch(
      /^Cannot listen on port 1 of 192\.0\.2\.1 \(listen E\w+: .+\); choose another with --port\.$/,
    );
  });
});
