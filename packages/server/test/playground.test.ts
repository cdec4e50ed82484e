/** The playground's files, as the server serves them; what the page does is tested in `test/playground`. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, request as httpRequest } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { readPlayground } from "../src/app/playground.ts";
import { createServer, PlaygroundMissing } from "../src/index.ts";
import { listening } from "./wire/servers.ts";

/** A folder in which the package has these files; is not there at all, without any. Until the test is over. */
function newFolder(files: { readonly [name: string]: string } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "photon-playground-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const own = join(folder, "node_modules", "@photon", "playground");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, name), text);
  }
  return folder;
}

/** Finds packages as Node does from a folder. */
const resolveFrom = (folder: string): NodeJS.RequireResolve =>
  createRequire(join(folder, "index.js")).resolve;

/** The addresses of what a page loads. */
const loadedBy = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);

describe("the playground", () => {
  it(verifies("D3", "is a page at / whose every file is there, and is from here"), async () => {
    const { url } = await listening({}, { playground: true });

    const page = await fetch(`${url}/`);
    const paths = loadedBy(await page.text());
    const files = await Promise.all(paths.map((path) => fetch(new URL(path, `${url}/`))));

    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(paths.length).toBeGreaterThan(1);
    expect(paths.filter((path) => !path.startsWith("./") && !path.startsWith("data:"))).toEqual([]);
    expect(files.map(({ status }) => status)).toEqual(files.map(() => 200));
  });

  it("may do nothing but what comes from here: no script in the page, no other host, no frame around it", async () => {
    const { url } = await listening({}, { playground: true });

    const { headers } = await fetch(`${url}/`);

    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("is kept for good where a file's name changes with what is in it, and asked for again where not", async () => {
    const { url } = await listening({}, { playground: true });
    const page = await fetch(`${url}/`);
    const script = loadedBy(await page.text()).find((path) => path.endsWith(".js")) ?? "";

    const asset = await fetch(new URL(script, `${url}/`));
    const again = await fetch(`${url}/`, {
      headers: { "if-none-match": page.headers.get("etag") ?? "", "cache-control": "max-age=0" },
    });

    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    expect(again.status).toBe(304);
  });

  it("answers HEAD without a body", async () => {
    const { url } = await listening({}, { playground: true });

    const head = await fetch(`${url}/`, { method: "HEAD" });

    expect([head.status, Number(head.headers.get("content-length")) > 0, await head.text()]).toEqual([
      200,
      true,
      "",
    ]);
  });

  it.each(["/../package.json", "/assets/../../package.json", "/%2e%2e/package.json", "/..%2fpackage.json"])(
    "gives out none but its own files: not %s",
    async (path) => {
      const { url } = await listening({}, { playground: true });
      const { hostname, port } = new URL(url);

      // As it is written: `fetch` would tidy the path up.
      const request = httpRequest({ hostname, port, path }).end();
      const [response] = (await once(request, "response")) as [{ statusCode?: number; resume(): void }];
      response.resume();

      expect(response.statusCode).toBe(404);
    },
  );

  it("is told to be installed where it is not", async () => {
    const reading = readPlayground(resolveFrom(newFolder()));

    await expect(reading).rejects.toThrow(PlaygroundMissing);
    await expect(reading).rejects.toMatchObject({
      code: "PLAYGROUND_MISSING",
      message: "The playground cannot be served: install @photon/playground.",
      cause: { code: "MODULE_NOT_FOUND" },
    });
  });

  it("is said not to be built where it was not, with what was found there", async () => {
    const folder = newFolder({ "package.json": "{}" });

    await expect(readPlayground(resolveFrom(folder))).rejects.toMatchObject({
      message: "The playground cannot be served: @photon/playground was not built.",
      cause: { code: "ENOENT" },
    });
  });

  it("says why its files cannot be read, where that is something else", async () => {
    const folder = newFolder({ "package.json": "{}", dist: "no folder" });

    await expect(readPlayground(resolveFrom(folder))).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The playground cannot be served: @photon\/playground cannot be read \(Error: ENOTDIR: .+\)\.$/,
      ),
      cause: { code: "ENOTDIR" },
    });
  });

  it("is not there unless it was asked for", async () => {
    const { url } = await listening();

    expect((await fetch(`${url}/`)).status).toBe(404);
  });

  it("is shown to nobody who comes by another name", async () => {
    const { url } = await listening({}, { playground: true });
    const request = httpRequest(url, { headers: { host: "evil.example" } }).end();
    const [response] = (await once(request, "response")) as [{ statusCode?: number; resume(): void }];
    response.resume();

    expect(response.statusCode).toBe(403);
  });

  it("is found below the prefix of a router, with or without the slash", async () => {
    const server = createServer({ playground: true });
    const { router } = await server.router();
    const listener = createHttpServer(express().use("/tools", router)).listen(0, "127.0.0.1");
    await once(listener, "listening");
    onTestFinished(async () => {
      await server.close();
      listener.closeAllConnections();
      listener.close();
    });
    // It listens on a port.
    const { port } = listener.address() as AddressInfo;

    const page = await fetch(`http://127.0.0.1:${port}/tools`);
    const script = loadedBy(await page.text()).find((path) => path.endsWith(".js")) ?? "";

    expect(page.url).toBe(`http://127.0.0.1:${port}/tools/`);
    expect((await fetch(new URL(script, page.url))).status).toBe(200);
  });
});
