import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { runInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { greeter } from "../tool-sources.ts";

const title = async (url: string): Promise<string | undefined> =>
  /<title>(.*)<\/title>/.exec(await (await fetch(`${url}/`)).text())?.[1];

describe("the playground", { timeout: 20_000 }, () => {
  it.each([
    ["photon serve --playground", ["serve", "--playground", "-t", "websocket", "--port=0"]],
    ["photon dev", ["dev", "--port=0"]],
  ])(verifies("D3", "is served by %s, which says where"), async (_, args) => {
    const server = temporaryFolder({ "web.photon.ts": greeter }).start(args);
    const url = await server.url();

    expect(await server.until(/playground/)).toContain(`${url}/`);
    expect(await title(url)).toBe("Photon");
  });

  it("is not there without being asked for", async () => {
    const server = temporaryFolder({ "web.photon.ts": greeter }).start(["serve", "-t", "http", "--port=0"]);

    expect((await fetch(`${await server.url()}/`)).status).toBe(404);
  });

  it("wants a way in that has an address", async () => {
    const { folder } = temporaryFolder({ "web.photon.ts": greeter });

    expect(await runInProcess(["serve", "--playground"], { cwd: folder })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--playground is for sse, http and websocket; add --transport=http."),
    });
  });
});
