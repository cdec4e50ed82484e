/** What docs/deployment.md says to run, run here: with tools and a port of the test's own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { at, environmentWith } from "../kitchen-sink/processes.ts";
import { verifies } from "../requirements.ts";
import { readPage } from "./pages.ts";

const page = readPage("docs/deployment.md");
const SECRETS = { PHOTON_TOKEN: "ada:0123456789abcdef", PHOTON_KEYS: "k".repeat(32), PHOTON_PORT: "0" };

let close = (): Promise<unknown> => Promise.resolve();
afterEach(() => close());

/** Starts what a page has, which names what is here by the names it has there; gives its port and what ends it. */
async function start(words: readonly string[]) {
  const [, ...args] = words.map((word) =>
    word
      .replace(/^(?:\/srv\/photon\/)?packages/, at("packages"))
      .replace(/^(?:\/srv\/photon\/)?my-tools$/, at("examples/01-hello")),
  );
  const child = spawn(process.execPath, args, {
    env: environmentWith(SECRETS),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  close = async () => {
    child.kill("SIGTERM");
    return ended;
  };
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, port] = /http:\/\/[\d.]+:(\d+)\/mcp/.exec(line) ?? [];
    if (port === undefined) continue;
    child.stderr.resume();
    return { port };
  }
  throw new Error(`It has ended: ${said.join("\n")}`);
}

/** The words of a line of a Dockerfile that is given as JSON. */
function dockerWords(instruction: string): readonly string[] {
  const [, words = "[]"] = new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(page) ?? [];
  // As Docker reads it.
  return JSON.parse(words) as readonly string[];
}

describe("docs/deployment.md", () => {
  it(verifies("D1", "has a unit for systemd that serves, and ends well when it is told to"), async () => {
    const [, line = ""] = /^ExecStart=(.*)$/m.exec(page) ?? [];
    const { port } = await start(line.split(" "));

    const { status } = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST" });

    expect(status).toBe(401);
    expect(await close()).toEqual([0, null]);
  });

  it(verifies("D1", "has a container that serves on every address, and is healthy"), async () => {
    const { port } = await start(dockerWords("ENTRYPOINT"));

    const [, ...words] = dockerWords("HEALTHCHECK CMD");
    const check = words.map((word) => word.replace("3001", port));

    expect(check).toHaveLength(2);
    expect(spawnSync(process.execPath, check).status).toBe(0);
    await close();
    expect(spawnSync(process.execPath, check).status).toBe(1);
  });

  it(verifies(["D1", "E4"], "has services whose processes share a store, and are ready"), async () => {
    const [, words = "[]"] = /^    command: (\["--store=.*\])$/m.exec(page) ?? [];
    // As Docker reads it; the store is one that is here.
    const flags = (JSON.parse(words) as readonly string[]).map((flag) =>
      flag.replace(/^--store=.*/, "--store=memory:"),
    );
    const { port } = await start([...dockerWords("ENTRYPOINT"), ...flags]);

    expect(flags).toHaveLength(2);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });

  it("says what is left out of an image, and it is", () => {
    const [, told = ""] = /`\.dockerignore` has (.*) in it/.exec(page) ?? [];
    const names = [...told.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    const left = readPage(".dockerignore").replaceAll("**/", "").split("\n");

    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !left.includes(name))).toEqual([]);
  });
});
