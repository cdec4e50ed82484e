import { expect, it } from "vitest";
import { acceptValue } from "../clients/answers.ts";
import { verifies } from "../requirements.ts";
import type { ServerFixture } from "./fixture.ts";

export function connecting(fixture: ServerFixture): void {
  it(verifies(["C1", "C2"], "client and server agree on the newest revision that both have"), async () => {
    const client = await fixture.connect();

    expect(client.revision).toBe(fixture.revision);
  });
}

export function progress(fixture: ServerFixture): void {
  it(verifies(["C1", "C2"], "every status and progress arrives, in order, before the result"), async () => {
    const client = await fixture.connect();
    const messages: unknown[] = [];

    const result = await client.call(
      "progresses",
      {},
      { onprogress: ({ message }) => messages.push(message) },
    );

    expect(messages).toEqual(["Looking", "A quarter", undefined, "Still half", "Almost there"]);
    expect(client.received.all.at(-1)).toHaveProperty("result");
    expect(result).toMatchObject({ isError: false, text: "Done." });
    fixture.record("status and progress");
  });
}

export function deliveryBeforeResponses(fixture: ServerFixture): void {
  it.each([
    ["the result", "counts", "Done."],
    ["a question", "counts-and-asks", "Enough."],
  ] as const)(verifies("C1", "a hundred statuses right before %s all arrive"), async (what, tool, text) => {
    const client = await fixture.connect(acceptValue("Enough."));
    const messages: unknown[] = [];

    const result = await client.call(tool, {}, { onprogress: ({ message }) => messages.push(message) });

    expect(messages).toEqual(Array.from({ length: 100 }, (_, index) => `Number ${index + 1}`));
    expect(result).toMatchObject({ isError: false, text });
    fixture.record(`100 statuses right before ${what}`);
  });
}

export function resultsAndLogs(fixture: ServerFixture): void {
  it(verifies(["C1", "C2"], "progress strictly increases, under the token of the call"), async () => {
    const client = await fixture.connect();

    await client.call("progresses", {}, { onprogress: () => {} });

    const notifications = client.receivedOf("notifications/progress");
    const values = notifications.map((params) => Number(params["progress"]));
    expect(values).toHaveLength(5);
    expect(values.every((value, index) => index === 0 || value > Number(values[index - 1]))).toBe(true);
    expect(values.slice(0, 3)).toEqual([0, 25, 50]);
    expect(new Set(notifications.map(({ progressToken }) => progressToken)).size).toBe(1);
  });

  it(verifies("C1", "a call without a progress token receives no progress"), async () => {
    const client = await fixture.connect();

    await client.call("progresses");

    expect(client.receivedOf("notifications/progress")).toEqual([]);
  });

  it(
    verifies(
      "C1",
      "logs are sent from the level that the client sets; before, from info on a session, none without",
    ),
    async () => {
      const client = await fixture.connect();

      await client.call("logs");
      const fromInfo = ["info", "notice", "warning", "error", "critical", "alert", "emergency"];
      expect(client.receivedOf("notifications/message").map(({ level }) => level)).toEqual(
        fixture.isStateless ? [] : fromInfo,
      );
      client.received.clear();

      await client.setLogLevel("critical");
      await client.call("logs");
      expect(client.receivedOf("notifications/message")).toEqual([
        { level: "critical", logger: "logs", data: { level: "critical" } },
        { level: "alert", logger: "logs", data: { level: "alert" } },
        { level: "emergency", logger: "logs", data: { level: "emergency" } },
      ]);
      fixture.record(
        "logs",
        fixture.isStateless ? "from the level that the call names" : "from `info`, or the level set",
      );
    },
  );

  it(verifies(["A8", "C2"], "content is sent in blocks that the revision has"), async () => {
    const client = await fixture.connect();

    const { content } = await client.call("makes");

    expect(content).toEqual([
      { type: "text", text: "A note" },
      fixture.isSince("2025-03-26")
        ? { type: "audio", data: "AQID", mimeType: "audio/wav" }
        : { type: "resource", resource: { uri: "photon:audio", mimeType: "audio/wav", blob: "AQID" } },
      fixture.isSince("2025-06-18")
        ? { type: "resource_link", uri: "note://today", name: "Today" }
        : { type: "text", text: "Today: note://today" },
      { type: "image", data: "BAUG", mimeType: "image/png" },
    ]);
    fixture.record("audio", fixture.isSince("2025-03-26") ? "yes" : "as a resource");
    fixture.record("links", fixture.isSince("2025-06-18") ? "yes" : "as text");
  });

  it(
    verifies(["A8", "C2"], "output is sent as text, and as structured content where the revision has it"),
    async () => {
      const client = await fixture.connect();
      const hasOutput = fixture.isSince("2025-06-18");

      const { tools } = await client.sdk.listTools();
      const { text, structured } = await client.call("trip", { city: "Rome", nights: 2 });

      const trip = tools.find(({ name }) => name === "trip");
      expect(text).toBe('{"price":200}');
      expect(structured).toEqual(hasOutput ? { price: 200 } : undefined);
      expect(trip?.title).toBe(hasOutput ? "A trip" : undefined);
      expect(trip?.outputSchema !== undefined).toBe(hasOutput);
      fixture.record("structured output", hasOutput ? "yes" : "as text");
    },
  );

  it(verifies("A7", "the error for an invalid input names the field"), async () => {
    const client = await fixture.connect();

    const result = await client.call("trip", { city: "Rome", nights: "two" });

    expect(result).toMatchObject({ isError: true });
    expect(result.text).toContain("nights");
  });
}

export function unknownTools(fixture: ServerFixture): void {
  it(verifies("C1", "a call of an unknown tool fails with -32602 and the name"), async () => {
    const client = await fixture.connect();

    await expect(client.call("unknown-tool")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("unknown-tool"),
    });
  });
}
