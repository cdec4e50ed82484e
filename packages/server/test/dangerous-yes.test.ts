/** A dangerous yes that a server cannot tell from a person's. SECURITY.md lists these ways. */
import { randomBytes } from "node:crypto";
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { memoryStore } from "../src/index.ts";
import { linkIn, onSession, runIn } from "./handover/model.ts";
import { Visitor } from "./pages/visitor.ts";
import { acceptValue } from "../../../test/clients/answers.ts";
import { connectV1 } from "../../../test/clients/connect.ts";
import { httpV1 } from "../../../test/clients/connections.ts";
import { listening } from "./wire/servers.ts";
import { overStatelessHttp } from "../../../test/clients/carriers.ts";
import { StatelessClient, questionsIn, textOf } from "../../../test/clients/raw-client.ts";

const erase = tool({
  name: "erase",
  durable: true,
  async *run() {
    return (yield* ask.confirm("Erase it?", { id: "sure", dangerous: true })) ? "erased" : "kept";
  },
});

describe("a client that accepts by itself is taken at its word", () => {
  it("on a session", async () => {
    const { url } = await listening({ tools: [erase] });
    const client = await connectV1(httpV1(url), { answer: acceptValue(true) });

    expect((await client.call("erase")).text).toBe("erased");
  });

  it("in 2026-07-28", async () => {
    const { url } = await listening({ tools: [erase] });
    const client = new StatelessClient(overStatelessHttp(url));
    const asked = await client.call("erase");
    expect(Object.keys(questionsIn(asked))).toEqual(["sure"]);

    const { answer } = await client.retry(asked, { sure: { action: "accept", content: { value: true } } });

    expect(textOf(answer)).toBe("erased");
  });
});

it("a program of this machine answers in the inbox of a server on loopback without tokens", async () => {
  const keys = [randomBytes(32).toString("base64")];
  const { server, url } = await listening({ tools: [erase], keys, store: memoryStore() });
  await new StatelessClient(overStatelessHttp(url)).call("erase");
  const run = (await server.inbox.list()).runs[0]?.run ?? "";

  await fetch(`${url}/inbox/${run}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key: "sure", action: "accept", value: true }),
  });
  await server.inbox.wait(run);

  expect(await (await fetch(`${url}/inbox/${run}`)).json()).toMatchObject({
    result: { content: [{ text: "erased" }] },
  });
});

it("a program of this machine opens the page of a question before a browser does", async () => {
  const { url } = await listening({ tools: [erase], whenUnsupported: "page" });
  const { call } = await onSession(url);
  const handed = await call("erase");
  const program = new Visitor();
  await program.open(linkIn(handed));

  await program.post(linkIn(handed), { proof: program.proof, do: "yes" });

  expect((await call("photon_continue", { run: runIn(handed) })).text).toBe("erased");
});
