import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { temporaryFolder, type RunningCommand, type TemporaryFolder } from "../temporary-folder.ts";
import { greeter, says } from "../tool-sources.ts";
import {
  connect,
  networkTransports,
  stdioTransport,
  stderrOf,
  type TestClient,
  type AnswerTo,
} from "./mcp-clients.ts";

interface Watched {
  readonly place: TemporaryFolder;
  readonly server: RunningCommand;
  readonly guest: TestClient;
}

async function watching(files: Readonly<Record<string, string>>, person?: AnswerTo): Promise<Watched> {
  const place = temporaryFolder(files);
  const server = place.start(["serve", "--transport=websocket", "--port=0", "--watch"]);
  const guest = await connect(networkTransports.websocket(await server.url()), person);
  return { place, server, guest };
}

const changed = (guest: TestClient, times = 1): Promise<void> => guest.notifications.until(() => true, times);

describe("photon serve --watch", { timeout: 20_000 }, () => {
  it(verifies("D6", "tells the client of an edited file, and serves the new tool"), async () => {
    const { place, server, guest } = await watching({ "web.photon.ts": says("say", "old") });
    expect(await guest.call("say")).toBe("old");

    place.write("web.photon.ts", says("tell", "new"));
    await changed(guest);

    expect(await guest.tools()).toEqual(["tell"]);
    expect(await guest.call("tell")).toBe("new");
    expect(await server.until(/reloaded/)).toMatch(/info reloaded in \d+ ms: 1 tool \(tell\)$/);
  });

  it("hears of an edit in a file that a tool imports, and of a new tool file", async () => {
    const { place, guest } = await watching({
      "web.photon.ts": `import { words } from "./words.ts";\n${says("say", "")}`.replace(
        'return "";',
        "return words;",
      ),
      "words.ts": 'export const words: string = "old";',
    });
    expect(await guest.call("say")).toBe("old");

    place.write("words.ts", 'export const words: string = "new";');
    await changed(guest);
    expect(await guest.call("say")).toBe("new");

    place.write("more.photon.ts", says("more", "more"));
    await changed(guest, 2);
    expect(await guest.tools()).toEqual(["more", "say"]);
  });

  it(verifies("D6", "lets a run that is open end with the code it began with"), async () => {
    let answer: (name: string) => void = () => {};
    let open: () => void = () => {};
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    const person: AnswerTo = () =>
      new Promise((resolve) => {
        answer = resolve;
        open();
      });
    const { place, guest } = await watching({ "web.photon.ts": greeter }, person);
    const before = guest.call("greet");
    await isOpen;

    place.write("web.photon.ts", greeter.replace("Hello", "Goodbye"));
    await changed(guest);
    answer("Ada");
    expect(await before).toBe("Hello, Ada!");

    const isOpenAgain = new Promise<void>((resolve) => {
      open = resolve;
    });
    const after = guest.call("greet");
    await isOpenAgain;
    answer("Ada");
    expect(await after).toBe("Goodbye, Ada!");
  });

  it(
    verifies("D6", "reports a broken edit in one line, keeps the last good version, and takes the fixed one"),
    async () => {
      const { place, server, guest } = await watching({ "web.photon.ts": says("say", "good") });

      for (const round of [1, 2, 3, 4, 5]) {
        place.write("web.photon.ts", `${says("say", "bad")}\nexport const x: = ${round};\n`);
        await server.stderrLines.until((line) => line.includes("not reloaded"), round);
        expect(await guest.call("say")).toBe("good");
      }
      place.write("web.photon.ts", says("say", "fixed"));
      await changed(guest);

      expect(await guest.call("say")).toBe("fixed");
      const complaint = server.stderrLines.all.find((line) => line.includes("not reloaded"));
      expect(complaint).toMatch(
        /error not reloaded, the last good version stays: web\.photon\.ts:10:17: .*\.$/,
      );
    },
  );

  it("keeps the last good version where the edit makes two tools of one name, or takes the tools away", async () => {
    const { place, server, guest } = await watching({ "a.photon.ts": says("say", "good") });

    place.write("b.photon.ts", says("say", "double"));
    await server.until(/not reloaded.*Two tools are called "say"/);
    expect(await guest.call("say")).toBe("good");

    renameSync(join(place.folder, "b.photon.ts"), join(place.folder, "b.ts"));
    renameSync(join(place.folder, "a.photon.ts"), join(place.folder, "a.ts"));
    await server.until(/not reloaded.*No tools found/);
    expect(await guest.call("say")).toBe("good");
  });

  it("works over stdio as well, and ends with the client", async () => {
    const place = temporaryFolder({ "web.photon.ts": says("say", "old") });
    const transport = stdioTransport(place, ["serve", "--watch", "--log-format=json"]);
    const said = stderrOf(transport);
    const guest = await connect(transport);

    place.write("web.photon.ts", says("say", "new"));
    await changed(guest);

    expect(await guest.call("say")).toBe("new");
    await said.until((line) => line.includes("reloaded"));
    expect(JSON.parse(said.all.at(-1) ?? "")).toMatchObject({ level: "info", took: expect.any(Number) });
    const { pid } = transport;
    await guest.client.close();
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
  });
});
