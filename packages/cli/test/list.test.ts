import { describe, expect, it } from "vitest";
import { command, stdioServer as hotelServer } from "./call/servers.ts";
import { runInProcess } from "./run-in-process.ts";
import { temporaryFolder, type Ended } from "./temporary-folder.ts";
import { says } from "./tool-sources.ts";

const hotel = `import { ask, prompt, resource, tool } from "@photon/core";

export const book = tool({
  description: "Book a room",
  input: { type: "object", properties: { city: { type: "string", description: "where to" }, nights: { type: "integer" } }, required: ["city"] },
  needs: ["form"],
  async *run({ city }) {
    const room = yield* ask.select("Which room?", ["single", "double"], { id: "room" });
    if (!(yield* ask.confirm(\`Book a \${room} in \${city}?\`))) return "Nothing booked.";
    return "Booked.";
  },
});

export const letter = prompt({
  description: "Write to a guest",
  arguments: { guest: { description: "whom", required: true }, tone: {} },
  async *run({ guest }) {
    return \`Write to \${guest}.\`;
  },
});

export const rooms = resource({ uri: "hotel://rooms/{floor}", title: "The rooms of a floor", async *run() { return "none"; } });
`;

const odd = `import { ask, emit, tool, type Body } from "@photon/core";

export const round = tool({
  run: async function* () {
    yield* ask.all({ name: ask.text("Name?", { id: "own" }), "age": ask.outcome(ask.number("Age?")) });
    return (yield* ask.outcome(ask.date("When?"))).action;
  },
});
export const raw = tool({
  async *run() {
    yield { ask: "confirm", message: "Sure?", id: "sure" };
    yield { ask: "confirm", message: "Wipe?", dangerous: true };
    yield* ask.confirm("Erase?", { id: "erase", dangerous: true });
    yield* ask.confirm("Keep?", { dangerous: false });
    yield { emit: "ask", message: "Who?", schema: { type: "object", properties: {} } };
    const kind = "secret" as const;
    yield { emit: "ask", ask: "secret", message: ["To", "ken"].join("") };
    yield { emit: "status", message: kind };
  },
});
export const form = tool({
  async *run() {
    return yield* ask.form("Address", { street: ask.text("Street"), town: ask.optional(ask.text("Town")) }, { id: "address" });
  },
});
export const silent = tool({
  async *run() {
    yield emit.status('ask.text("Name?")');
    const asked = { text: (what: string) => what };
    return asked.text("Name?"); // ask.text("Not this")
  },
});
async function* help(): Body<string> {
  return yield* ask.text("From elsewhere");
}
export const helped = tool({
  async *run() {
    return yield* help();
  },
});
`;

/** Runs `photon list` in a folder with these files. */
const list = (files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> =>
  runInProcess(["list", ...args], { cwd: temporaryFolder(files).folder });

describe("photon list", { timeout: 20_000 }, () => {
  it("shows tools, prompts and resources with their inputs, needs, and the questions in their source", async () => {
    const { stdout, stderr, exitCode } = await list({ "hotel.photon.ts": hotel });

    expect(stdout).toBe(`Tools
  book  Book a room
    input  city (string, required): where to
    input  nights (integer, optional)
    needs  form
    asks   select "Which room?" (room)
    asks   confirm "Book a … in …?"

Prompts
  letter  Write to a guest
    input  guest (string, required): whom
    input  tone (string, optional)

Resources
  hotel://rooms/{floor}  The rooms of a floor
`);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  it("prints one JSON document with --json", async () => {
    const { stdout } = await temporaryFolder({ "hotel.photon.ts": hotel }).photon([
      "list",
      "hotel",
      "--json",
    ]);

    expect(JSON.parse(stdout)).toEqual({
      tools: [
        {
          name: "book",
          description: "Book a room",
          inputSchema: {
            type: "object",
            properties: { city: { type: "string", description: "where to" }, nights: { type: "integer" } },
            required: ["city"],
          },
          needs: ["form"],
          asks: [
            { kind: "select", message: "Which room?", id: "room" },
            { kind: "confirm", message: "Book a … in …?" },
          ],
        },
      ],
      prompts: [
        {
          name: "letter",
          description: "Write to a guest",
          arguments: [
            { name: "guest", description: "whom", required: true },
            { name: "tone", required: false },
          ],
          asks: [],
        },
      ],
      resources: [
        {
          uriTemplate: "hotel://rooms/{floor}",
          name: "hotel://rooms/{floor}",
          title: "The rooms of a floor",
          asks: [],
        },
      ],
    });
  });

  it("shows the questions of bare generators and of the methods of a class", async () => {
    const bare = `import { ask } from "@photon/core";
/** Greets by name */
export async function* greet(loud: boolean) {
  const name = yield* ask.text("Who?", { id: "who" });
  return loud ? name.toUpperCase() : name;
}
export default class Hotel {
  /** Ends a stay */
  async *leave(room: number) {
    return (yield* ask.confirm(\`Leave \${room}?\`, { id: "sure", dangerous: true })) ? "Bye." : "Stay.";
  }
}
`;
    const { stdout } = await list({ "hotel.photon.ts": bare });

    expect(stdout).toContain(
      'greet  Greets by name\n    input  loud (boolean, required)\n    asks   text "Who?" (who)\n',
    );
    expect(stdout).toContain(
      'leave  Ends a stay\n    input  room (number, required)\n    asks   confirm "Leave …?" (sure), dangerous\n',
    );
  });

  it("finds questions however they are written, and makes none up", async () => {
    const { stdout } = await list({ "odd.photon.ts": odd }, "--json");
    const { tools } = JSON.parse(stdout) as { tools: { name: string; asks: unknown }[] };

    expect(Object.fromEntries(tools.map(({ name, asks }) => [name, asks]))).toEqual({
      round: [
        { kind: "text", message: "Name?", id: "name" },
        { kind: "number", message: "Age?", id: "age" },
        { kind: "date", message: "When?" },
      ],
      raw: [
        { kind: "confirm", message: "Sure?", id: "sure" },
        { kind: "confirm", message: "Wipe?", dangerous: true },
        { kind: "confirm", message: "Erase?", id: "erase", dangerous: true },
        { kind: "confirm", message: "Keep?" },
        { kind: "form", message: "Who?" },
        { kind: "secret" },
      ],
      form: [{ kind: "form", message: "Address", id: "address" }],
      silent: [],
      helped: [],
    });
  });

  it("shows nothing that moves the cursor, whatever a description says", async () => {
    const { stdout } = await list({ "say.photon.ts": says("say", "a\u001B[2Jb\nc") });

    expect(stdout).toBe("Tools\n  say  ab c\n");
  });

  it.each([[["--json"]], [[]]])(
    "keeps stdout for the list with %j, whatever a file prints",
    async (flags) => {
      const { photon } = temporaryFolder({
        "loud.photon.ts": `console.log("I am loaded.");\n${says("hello", "hello")}`,
      });
      const { stdout, stderr, exitCode } = await photon(["list", ...flags]);

      expect(stdout).toContain("hello");
      expect(stdout).not.toContain("I am loaded.");
      expect({ stderr, exitCode }).toEqual({ stderr: "I am loaded.\n", exitCode: 0 });
    },
  );

  it("shows what the server of a command offers", async () => {
    const server = command(hotelServer);
    const { stdout, exitCode } = await list({}, "--json", ...server);

    expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: "book" }] });
    expect(exitCode).toBe(0);
    expect(await list({}, "tools", ...server)).toEqual({
      stdout: "",
      stderr: 'photon list takes one server; remove "tools".\n',
      exitCode: 2,
    });
  });

  it("says what is wrong with a file", async () => {
    const { stderr } = await list({ "broken.photon.ts": "export const = 1;" });

    expect(stderr).toMatch(/^broken\.photon\.ts:1:14: /);
  });

  it("exits with 0 when the reader closes the pipe", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`t${n}.photon.ts`, says(`t${n}`, "x".repeat(4000))]),
    );
    const listing = temporaryFolder(files).start(["list"]);
    listing.child.stdout.destroy();

    expect(await listing.exitCode).toBe(0);
    expect(listing.stderr).toBe("");
  });
});
