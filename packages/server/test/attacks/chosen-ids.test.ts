/** Clients choose the ids of their requests: none that they choose take longer to find than others. */
import { describe, expect, it } from "vitest";
import { CompactMap } from "../../src/util/compact-map.ts";
import { begin, sessionIn } from "../wire/session-requests.ts";
import { listening } from "../wire/servers.ts";
import { echo } from "../wire/tools.ts";

/** Texts of the same length, which are the same number to whoever adds up their letters by powers of 31. */
const alike = (index: number): string =>
  Array.from({ length: 17 }, (_, bit) => ((index >> bit) & 1 ? "Aa" : "BB")).join("");

const kinds: readonly (readonly [string, (index: number) => string | number])[] = [
  ["numbers with the same last bits", (index) => index * 2 ** 20],
  ["numbers that are the same in 32 bits", (index) => index * 2 ** 32],
  ["numbers that are the same in 64 bits", (index) => index * 2 ** 900],
  ["texts that add up to the same", alike],
];

describe("ids that were chosen to be alike", () => {
  it.each(kinds)("are found at once, however many there are: %s", (_, idOf) => {
    const map = new CompactMap<string | number, number>();
    const ids = Array.from({ length: 100_000 }, (__, index) => idOf(index));

    for (const [index, id] of ids.entries()) map.set(id, index);

    expect(ids.every((id, index) => map.get(id) === index)).toBe(true);
  });

  it("cost nobody else anything in one message that is refused, whatever they are", async () => {
    const { url } = await listening({ tools: [echo] });
    const session = sessionIn(await begin(url));
    const same = "x".repeat(40);
    const requests = Array.from({ length: 9000 }, (_, index) => ({
      jsonrpc: "2.0",
      id: `${same}${10_000 + index}${same}`,
      method: "ping",
    }));

    const refused = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2025-11-25",
        "mcp-session-id": session,
      },
      body: JSON.stringify(requests),
    });

    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("There are no batches here");
  });
});
