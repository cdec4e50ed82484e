import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { request as httpRequest, type ClientRequest } from "node:http";
import { dirname } from "node:path";
import { ask, type Reply } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, vi } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { Page } from "../../src/pages/page.ts";
import { multipart, multipartType, type FilePart } from "./multipart.ts";
import { stage, type TestServer, type Staging } from "./stage.ts";
import { uploadsFolder } from "./uploads-folder.ts";
import { Visitor, type Seen } from "./visitor.ts";

const { left, sizes } = uploadsFolder();

interface Opened extends TestServer {
  readonly page: Page;
  readonly visitor: Visitor;
  readonly upload: (file: FilePart) => Promise<Seen>;
}

/** A page for a file, opened by somebody. */
async function opened(options: Parameters<typeof ask.file>[1] = {}, staging: Staging = {}): Promise<Opened> {
  const on = await stage(staging);
  const page = await on.open(ask.file("Your file?", options));
  const visitor = new Visitor();
  await visitor.open(page.url);
  const upload = (file: FilePart): Promise<Seen> =>
    visitor.send(page.url, multipart(["proof", visitor.proof], file, ["do", "accept"]), multipartType);
  return { ...on, page, visitor, upload };
}

/** The file that a page was answered with. */
async function fileIn(reply: Promise<Reply>): Promise<{ name: string; type: string; path: string }> {
  const given = await reply;
  // Each test says what it expects of it.
  return (given.action === "accept" ? given.value : {}) as { name: string; type: string; path: string };
}

/** Begins to upload, and does not end. */
function begin({ page, visitor }: Opened, bytes: number): ClientRequest {
  const whole = multipart(["proof", visitor.proof], { name: "a.txt", bytes: Buffer.alloc(bytes, "a") });
  const headers = {
    ...multipartType,
    cookie: visitor.cookies,
    origin: new URL(page.url).origin,
    "content-length": whole.length + 1000,
  };
  const request = httpRequest(page.url, { method: "POST", headers, agent: false });
  request.on("error", () => {});
  request.write(whole.subarray(0, -20));
  return request;
}

const hasBegun = (): Promise<void> => vi.waitFor(() => expect(sizes()[0]).toBeGreaterThan(0));

const isEmpty = (): Promise<void> => vi.waitFor(() => expect(left()).toEqual([]));

describe("an uploaded file", () => {
  it(verifies("A3", "lies in a private folder by a random name, until the page is closed"), async () => {
    const { page, upload } = await opened();

    const done = await upload({ name: "notes.txt", type: "text/plain", bytes: "Dear diary" });

    expect(done.text).toContain("Your answer was sent.");
    const { name, type, path } = await fileIn(page.reply);
    expect({ name, type }).toEqual({ name: "notes.txt", type: "text/plain" });
    expect(readFileSync(path, "utf8")).toBe("Dear diary");
    expect(path).toMatch(/photon-uploads-[0-9a-f]{8}-\w{6}\/[0-9a-f]{32}$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    page.close();
    await isEmpty();
  });

  it("is removed with all pages", async () => {
    const { page, pages, upload } = await opened();
    await upload({ name: "a.txt", bytes: "a" });
    await page.reply;

    await pages.close();

    expect(left()).toEqual([]);
  });

  it("is removed when its page is closed, and at the same time all pages are", async () => {
    const { page, pages, upload, reported } = await opened();
    await upload({ name: "a.txt", bytes: "a" });
    await page.reply;

    page.close();
    await pages.close();
    await pages.close();

    expect(left()).toEqual([]);
    expect(reported).toEqual([]);
  });

  it("is as large as it may be, and not a byte larger", async () => {
    const fits = await opened({ maxBytes: 100_000 });
    await fits.upload({ name: "a.bin", bytes: Buffer.alloc(100_000) });
    const tooLarge = await opened({ maxBytes: 100_000 });

    const refused = await tooLarge.upload({ name: "a.bin", bytes: Buffer.alloc(100_001) });

    expect(statSync((await fileIn(fits.page.reply)).path).size).toBe(100_000);
    expect(refused.status).toBe(413);
    expect(refused.text).toContain('<p class="problem" id="f0-problem">Must have at most 100 kB.</p>');
    await fits.pages.close();
    expect(left()).toEqual([]);
    await tooLarge.upload({ name: "a.bin", bytes: "small" });
    expect(await tooLarge.page.reply).toMatchObject({ action: "accept" });
  });

  it("is refused by its length alone, where that says enough", async () => {
    const { upload } = await opened({ maxBytes: 10 });

    const { status } = await upload({ name: "a.bin", bytes: Buffer.alloc(5_000_000) });

    expect(status).toBe(413);
    expect(left()).toEqual([]);
  });

  it("has a bound where the question has none", async () => {
    const { upload } = await opened({}, { limits: { uploadBytes: 10 } });

    expect((await upload({ name: "a.txt", bytes: "12345678901" })).status).toBe(413);
    expect((await upload({ name: "a.txt", bytes: "1234567890" })).status).toBe(200);
  });

  it("is of a type that the question takes", async () => {
    const { upload, page } = await opened({ accept: ["image/*", ".pdf"] });

    const refused = await upload({ name: "a.exe", type: "application/x-msdownload", bytes: "MZ" });

    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Must be of type image/*, .pdf.");
    expect(left()).toEqual([]);
    await upload({ name: "A.PDF", type: "application/octet-stream", bytes: "%PDF" });
    expect(await fileIn(page.reply)).toMatchObject({ name: "A.PDF" });
  });

  it("is missed where none was chosen", async () => {
    const { upload } = await opened();

    const { status, text } = await upload({ name: "", type: "application/octet-stream", bytes: "" });

    expect(status).toBe(422);
    expect(text).toContain("Needs a file.");
    expect(left()).toEqual([]);
  });

  it("may be empty", async () => {
    const { upload, page } = await opened();

    await upload({ name: "empty.txt", bytes: "" });

    expect(statSync((await fileIn(page.reply)).path).size).toBe(0);
  });

  it("keeps its name in any script", async () => {
    const { upload, page } = await opened();

    await upload({ name: "Prüfung – 試験.txt", bytes: "a" });

    expect(await fileIn(page.reply)).toMatchObject({ name: "Prüfung – 試験.txt" });
  });

  it("is declined like any other question", async () => {
    const { visitor, page } = await opened();

    await visitor.post(page.url, { proof: visitor.proof, do: "decline" });

    expect(await page.reply).toEqual({ action: "decline" });
  });

  it("is not taken without the proof that the form is the page's own, nor before it", async () => {
    const { visitor, page } = await opened();
    const file = { name: "a.txt", bytes: "a" };

    const sent = [
      await visitor.send(page.url, multipart(file, ["do", "accept"]), multipartType),
      await visitor.send(page.url, multipart(["proof", "guess"], file, ["do", "accept"]), multipartType),
      await visitor.send(
        page.url,
        multipart(file, ["proof", visitor.proof], ["do", "accept"]),
        multipartType,
      ),
    ];

    expect(sent.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(left()).toEqual([]);
  });

  it("is not taken from a browser that does not hold the page", async () => {
    const { page, visitor } = await opened();
    const body = multipart(["proof", visitor.proof], { name: "a.txt", bytes: "a" }, ["do", "accept"]);

    const { status } = await new Visitor().send(page.url, body, multipartType);

    expect(status).toBe(415);
    expect(left()).toEqual([]);
  });

  it("is one: what comes behind it is not kept", async () => {
    const { page, visitor } = await opened();
    const files = [
      { name: "a.txt", bytes: "a" },
      { name: "b.txt", bytes: "b" },
    ] as const;

    await visitor.send(
      page.url,
      multipart(["proof", visitor.proof], ...files, ["do", "accept"]),
      multipartType,
    );

    const { name, path } = await fileIn(page.reply);
    expect(name).toBe("a.txt");
    expect(readFileSync(path, "utf8")).toBe("a");
    expect(sizes()).toEqual([1]);
  });

  it.each([
    ["without a boundary", { "content-type": "multipart/form-data" }, 415],
    ["compressed", { ...multipartType, "content-encoding": "gzip" }, 415],
    ["in pieces that do not end", multipartType, 400],
  ])("is refused %s", async (_, headers, expected) => {
    const { page, visitor } = await opened();
    const body = multipart(["proof", visitor.proof], { name: "a.txt", bytes: "a" }).subarray(0, -12);

    const { status } = await visitor.send(page.url, body, headers);

    expect(status).toBe(expected);
    expect(left()).toEqual([]);
  });
});

describe("an upload that is under way", () => {
  it("leaves nothing behind when whoever sends it hangs up", async () => {
    const on = await opened();
    const request = begin(on, 300_000);
    await hasBegun();

    request.destroy();

    await isEmpty();
    expect(on.pages.size).toBe(1);
  });

  it("ends with the time of the question", async () => {
    const clock = testClock();
    const on = await opened({}, { clock });
    const late = await on.open(ask.file("Again?"), { deadline: clock.now() + 20_000 });
    await on.visitor.open(late.url);
    const request = begin({ ...on, page: late }, 300_000);
    await hasBegun();

    await clock.advance("20s");

    const [response] = (await once(request, "response")) as [{ statusCode: number }];
    expect(response.statusCode).toBe(410);
    expect(await late.reply).toEqual({ action: "timeout" });
    await isEmpty();
    request.destroy();
  });

  it("ends with the page", async () => {
    const on = await opened();
    const request = begin(on, 300_000);
    await hasBegun();

    on.page.close();

    await once(request, "response");
    expect(await on.page.reply).toEqual({ action: "cancel" });
    await isEmpty();
    request.destroy();
  });

  it("makes way for the next: whoever sends again has given up on it", async () => {
    const on = await opened();
    const request = begin(on, 300_000);
    await hasBegun();

    await on.upload({ name: "second.txt", bytes: "second" });

    expect(await fileIn(on.page.reply)).toMatchObject({ name: "second.txt" });
    await vi.waitFor(() => expect(sizes()).toEqual([6]));
    request.destroy();
  });
});
