import { describe, expect, it, onTestFinished } from "vitest";
import { PseudoTerminal } from "../pseudo-terminal.ts";
import { bin, temporaryFolder, type TemporaryFolder } from "../temporary-folder.ts";
import { greeter, says } from "../tool-sources.ts";

/** Types a command into a terminal. */
function terminal(
  { folder }: TemporaryFolder,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const opened = new PseudoTerminal([process.execPath, bin, ...args], { cwd: folder, env, columns: 120 });
  onTestFinished(() => opened.close());
  return opened;
}

const ESCAPE = "\u001B[";

describe("photon serve in a terminal", { timeout: 20_000 }, () => {
  it("says that a client belongs there, and ends with 130 at ctrl+c", async () => {
    const screen = terminal(temporaryFolder({ "web.photon.ts": greeter }), ["serve"]);
    await screen.shows("stdin is a terminal, and an MCP client belongs there");

    screen.press("ctrl+c");

    expect(await screen.exit).toBe(130);
  });

  it("tells of a reload in colours, and without any where NO_COLOR is set", async () => {
    const place = temporaryFolder({ "web.photon.ts": says("say", "old") });
    const colored = terminal(place, ["dev", "--port=0"]);
    const plain = terminal(place, ["dev", "--port=0"], { NO_COLOR: "1" });
    await Promise.all([colored.shows(/sse +http/), plain.shows(/sse +http/)]);

    place.write("web.photon.ts", says("say", "new"));
    await Promise.all([colored.shows(/info reloaded in \d+ ms/), plain.shows(/info reloaded in \d+ ms/)]);

    for (const screen of [colored, plain]) screen.press("ctrl+c");
    expect(await Promise.all([colored.exit, plain.exit])).toEqual([130, 130]);

    expect(colored.raw).toContain(`${ESCAPE}32minfo${ESCAPE}39m reloaded`);
    expect(plain.raw).not.toContain(ESCAPE);
  });

  it("lists tools in colours, and without any where NO_COLOR is set", async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter });
    const colored = terminal(place, ["list"]);
    const plain = terminal(place, ["list"], { NO_COLOR: "1" });

    expect(await Promise.all([colored.exit, plain.exit])).toEqual([0, 0]);
    expect(colored.raw).toContain(`${ESCAPE}36mgreet${ESCAPE}39m`);
    expect(plain.raw).not.toContain(ESCAPE);
    expect(colored.text).toBe(plain.text);
  });
});
