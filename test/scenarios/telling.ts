import { expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { accept } from "./answers.ts";
import type { Scene } from "./scene.ts";

/** What tools tell on their way, and what they give in the end. */
export function telling(scene: Scene): void {
  it(verifies("C2", "agrees on the newest revision that both sides speak"), async () => {
    const guest = await scene.seat();

    expect(guest.revision).toBe(scene.revision);
  });

  it(verifies(["C1", "C2"], "tells every status and progress, in order, before the result"), async () => {
    const guest = await scene.seat();
    const seen: unknown[] = [];

    const result = await guest.call("tells", {}, { onprogress: ({ message }) => seen.push(message) });

    expect(seen).toEqual(["Looking", "A quarter", undefined, "Still half", "Almost there"]);
    expect(guest.heard.all.at(-1)).toHaveProperty("result");
    expect(result).toMatchObject({ isError: false, text: "Done." });
    scene.shows("status and progress");
  });

  it(
    verifies(["C1", "C2"], "tells progress that strictly increases, under the token of the call"),
    async () => {
      const guest = await scene.seat();

      await guest.call("tells", {}, { onprogress: () => {} });

      const told = guest.heardOf("notifications/progress");
      const figures = told.map(({ progress }) => Number(progress));
      expect(figures).toHaveLength(5);
      expect(figures.every((figure, index) => index === 0 || figure > Number(figures[index - 1]))).toBe(true);
      expect(figures.slice(0, 3)).toEqual([0, 25, 50]);
      expect(new Set(told.map(({ progressToken }) => progressToken)).size).toBe(1);
    },
  );

  it.each([
    ["the result", "counts", "Done."],
    ["a question", "counts-and-asks", "Enough."],
  ] as const)(
    verifies("C1", "loses none of a hundred statuses that come right before %s"),
    async (what, tool, text) => {
      const guest = await scene.seat(accept({ value: "Enough." }));
      const seen: unknown[] = [];

      const result = await guest.call(tool, {}, { onprogress: ({ message }) => seen.push(message) });

      expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => `Number ${index + 1}`));
      expect(result).toMatchObject({ isError: false, text });
      scene.shows(`100 statuses right before ${what}`);
    },
  );

  it(verifies("C1", "tells no progress to a call without a token"), async () => {
    const guest = await scene.seat();

    await guest.call("tells");

    expect(guest.heardOf("notifications/progress")).toEqual([]);
  });

  it(
    verifies("C1", "logs from info on, or nothing without a session, until the client says from where"),
    async () => {
      const guest = await scene.seat();

      await guest.call("logs");
      const unasked = ["info", "notice", "warning", "error", "critical", "alert", "emergency"];
      expect(guest.heardOf("notifications/message").map(({ level }) => level)).toEqual(
        scene.isModern ? [] : unasked,
      );
      guest.heard.forget();

      await guest.wantLogs("critical");
      await guest.call("logs");
      expect(guest.heardOf("notifications/message")).toEqual([
        { level: "critical", logger: "logs", data: { level: "critical" } },
        { level: "alert", logger: "logs", data: { level: "alert" } },
        { level: "emergency", logger: "logs", data: { level: "emergency" } },
      ]);
      scene.shows(
        "logs",
        scene.isModern ? "from the level that the call names" : "from `info`, or the level set",
      );
    },
  );

  it(verifies(["A8", "C2"], "gives artifacts, then an image, in blocks the revision knows"), async () => {
    const guest = await scene.seat();

    const { content } = await guest.call("makes");

    expect(content).toEqual([
      { type: "text", text: "A note" },
      scene.isSince("2025-03-26")
        ? { type: "audio", data: "AQID", mimeType: "audio/wav" }
        : { type: "resource", resource: { uri: "photon:audio", mimeType: "audio/wav", blob: "AQID" } },
      scene.isSince("2025-06-18")
        ? { type: "resource_link", uri: "note://today", name: "Today" }
        : { type: "text", text: "Today: note://today" },
      { type: "image", data: "BAUG", mimeType: "image/png" },
    ]);
    scene.shows("audio", scene.isSince("2025-03-26") ? "yes" : "as a resource");
    scene.shows("links", scene.isSince("2025-06-18") ? "yes" : "as text");
  });

  it(
    verifies(["A8", "C2"], "gives structured output where the revision has it, and as text anyway"),
    async () => {
      const guest = await scene.seat();

      const { tools } = await guest.client.listTools();
      const { text, structured } = await guest.call("trip", { city: "Rome", nights: 2 });

      const trip = tools.find(({ name }) => name === "trip");
      expect(text).toBe('{"price":200}');
      expect(structured).toEqual(scene.isSince("2025-06-18") ? { price: 200 } : undefined);
      expect(trip?.title).toBe(scene.isSince("2025-06-18") ? "A trip" : undefined);
      expect(trip?.outputSchema !== undefined).toBe(scene.isSince("2025-06-18"));
      scene.shows("structured output", scene.isSince("2025-06-18") ? "yes" : "as text");
    },
  );

  it(verifies("A7", "names the field of an input that does not fit"), async () => {
    const guest = await scene.seat();

    const result = await guest.call("trip", { city: "Rome", nights: "two" });

    expect(result).toMatchObject({ isError: true });
    expect(result.text).toContain("nights");
  });
}

/** What comes of a call of a tool that is not there. */
export function callingNothing(scene: Scene): void {
  it(verifies("C1", "answers a call of no tool with -32602 and its name"), async () => {
    const guest = await scene.seat();

    await expect(guest.call("nothing-like-it")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("nothing-like-it"),
    });
  });
}
