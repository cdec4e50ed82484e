/** Calls that tell nothing while they work: what lies between them and their client must not take them for dead (docs/deployment.md). */
import { ask, prompt, tool, type Tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { serveStateless, listening } from "../wire/servers.ts";
import { headersFor, overHttp, present } from "../../../../test/clients/carriers.ts";
import { META, MODERN, callOf } from "../../../../test/clients/raw-client.ts";
import { Gate } from "../wire/gate.ts";
import { echo } from "../wire/tools.ts";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Works behind a gate, and says nothing of it. */
const silent = (gate: Gate): Tool<never> =>
  tool({
    name: "silent",
    async *run(_, { signal }) {
      await gate.passed(signal);
      return "done";
    },
  });

/** Calls a tool in 2026-07-28; settles with the first that comes back, which is the headers. */
function call(url: string, name: string): Promise<Response> {
  const meta = { [META.version]: MODERN, [META.capabilities]: {} };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...callOf(name), _meta: meta } };
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: present(headersFor(message)),
    body: JSON.stringify(message),
  });
}

const readerOf = ({ body }: Response): Reader => {
  if (body === null) throw new Error("The answer has no body.");
  return body.getReader();
};

async function wordIn(reader: Reader): Promise<string> {
  const { value } = await reader.read();
  return new TextDecoder().decode(value);
}

describe("a request of 2026-07-28 that works in silence", () => {
  it(verifies("C5", "is answered with a stream after 20 seconds, which shows that it is alive"), async () => {
    const clock = testClock();
    const gate = new Gate();
    const { url } = await listening({ tools: [silent(gate)], clock });

    const answering = call(url, "silent");
    await gate.reached;
    await clock.advance("20s");
    const answer = await answering;
    const reader = readerOf(answer);
    const alive: string[] = [];
    for (let beat = 0; beat < 3; beat += 1) {
      await clock.advance("25s");
      alive.push(await wordIn(reader));
    }
    gate.open();

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(alive).toEqual([": alive\n\n", ": alive\n\n", ": alive\n\n"]);
    expect(await wordIn(reader)).toContain('"text":"done"');
    expect(await reader.read()).toMatchObject({ done: true });
  });

  it("is told in the stream what went wrong: its status was said already", async () => {
    const clock = testClock();
    const gate = new Gate();
    const asking = tool({
      name: "asking",
      async *run() {
        await gate.passed();
        return yield* ask.text("Name?");
      },
    });
    const { url } = await listening({ tools: [asking], clock });

    const answering = call(url, "asking");
    await gate.reached;
    await clock.advance("20s");
    const answer = await answering;
    gate.open();

    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(/^data: \{.*"error":\{"code":-32021,.*\}\n\n$/);
  });

  it("is answered with JSON before that", async () => {
    const clock = testClock();
    const gate = new Gate();
    const { url } = await listening({ tools: [silent(gate)], clock });

    const answering = call(url, "silent");
    await gate.reached;
    await clock.advance("19s");
    gate.open();

    expect((await answering).headers.get("content-type")).toBe("application/json");
  });

  it("leaves no timer behind, whether it is answered or given up", async () => {
    const clock = countingClock();
    const gate = new Gate();
    const { client } = await serveStateless({ tools: [echo, silent(gate)], clock });
    const before = clock.running;

    await client.call("echo", { text: "hi" });
    const given = client.begin("tools/call", callOf("silent"));
    await gate.reached;
    await given.leave();

    await expect.poll(() => clock.running).toBe(before);
  });
});

describe("a completion on a session over Streamable HTTP", () => {
  it("is answered with a stream at once: what an author wrote may take a while", async () => {
    const gate = new Gate();
    const letter = prompt({
      name: "letter",
      arguments: {
        to: {
          async complete() {
            await gate.passed();
            return ["Ada"];
          },
        },
      },
      async *run() {
        return "Dear …";
      },
    });
    const { url } = await listening({ prompts: [letter] });
    const client = await overHttp(url);
    await client.initialize();
    const params = { ref: { type: "ref/prompt", name: "letter" }, argument: { name: "to", value: "" } };

    const answer = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        ...client.headers(),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: "c", method: "completion/complete", params }),
    });
    gate.open();

    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toContain('"values":["Ada"]');
  });
});
