/** Whoever says the same of itself is one object to the server, also the very first: no body can change it for another. */
import { tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { serveStateless } from "../wire/servers.ts";
import { META } from "../../../../test/clients/raw-client.ts";

/** Says what it sees of its client, and tries to change it. */
const meddling = tool({
  name: "meddling",
  async *run(_, { client }) {
    const seen = { ...client, can: { ...client.can } };
    Reflect.set(client, "name", "somebody else");
    Reflect.set(client.can, "form", true);
    return seen;
  },
});

describe("a client that a body has tried to change", () => {
  it.each([
    ["says nothing of itself", {}, { name: "", version: "" }],
    ["has a name", { name: "raw", version: "1" }, { name: "raw", version: "1" }],
  ])("is as it was to the next, where it %s", async (_, info, named) => {
    const { client } = await serveStateless({ tools: [meddling] }, {});
    const seen = async (): Promise<unknown> =>
      (await client.call("meddling", {}, { meta: { [META.clientInfo]: info } })).answer.result?.[
        "structuredContent"
      ];
    const whole = { ...named, can: { form: false, url: false, sample: false, roots: false } };

    expect(await seen()).toEqual(whole);
    expect(await seen()).toEqual(whole);
  });
});
