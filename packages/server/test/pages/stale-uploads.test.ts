/** Uploaded files of a server that was killed: the next server of the same user removes them, and nothing else. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { removeStaleUploads } from "../../src/pages/upload-folder.ts";
import { uploadTo } from "../secrets/person.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { type Exchange, StatelessClient, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";

const program = fileURLToPath(new URL("serve-uploads.mjs", import.meta.url));
const isRoot = process.getuid?.() === 0;

/** For removals in which nothing goes wrong. */
function fail(error: unknown): never {
  throw error;
}

/** A temporary folder for the servers of one test. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "photon-stale-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

/** Starts a server process that uses the temporary folder. It ends with the test. */
function start(transport: "http" | "stdio"): ChildProcess {
  const child = spawn(process.execPath, [program, transport], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => kill(child));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

interface Uploaded {
  readonly server: ChildProcess;
  /** The call that waits for its client to come back after the upload. */
  readonly client: StatelessClient;
  readonly asked: Exchange;
}

/** A server process with an uploaded file of this content. */
async function serverWithUpload(content: string): Promise<Uploaded> {
  const server = start("http");
  if (server.stdout === null) throw new Error("The server has a pipe for its output.");
  const [url] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
  const client = new StatelessClient(overStatelessHttp(url));
  const asked = await client.call("upload");
  await uploadTo(String(questionsIn(asked)["ask-1"]?.params?.["url"]), "photo.jpg", content);
  return { server, client, asked };
}

/** The folder that a killed server has left. */
async function leftByKilled(temporary: string, content: string): Promise<string> {
  const before = readdirSync(temporary);
  const { server } = await serverWithUpload(content);
  await kill(server);
  const name = readdirSync(temporary).find((one) => !before.includes(one));
  if (name === undefined) throw new Error("The server has left no folder.");
  return join(temporary, name);
}

/** What the files in a folder contain, at any depth. */
const contentsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"));

describe("the uploads of a server that was killed", () => {
  it.each(["http", "stdio"] as const)("are removed when a server is started on %s", async (transport) => {
    const temporary = temporaryFolder();
    await leftByKilled(temporary, "a face");
    expect(contentsIn(temporary)).toEqual(["a face"]);

    start(transport);

    await vi.waitFor(() => expect(readdirSync(temporary)).toEqual([]), { timeout: 20_000 });
  });

  it("are removed, and those of a server that is alive stay", async () => {
    const temporary = temporaryFolder();
    await leftByKilled(temporary, "of a killed server");
    const { client, asked } = await serverWithUpload("of a living server");
    await leftByKilled(temporary, "of another killed server");

    await removeStaleUploads(fail);

    expect(contentsIn(temporary)).toEqual(["of a living server"]);
    const done = await client.retry(asked, { "ask-1": { action: "accept" } });
    expect(textOf(done.answer)).toBe("photo.jpg");
  });

  it("stay where a link in the temporary folder leads to them", async () => {
    const temporary = temporaryFolder();
    const folder = await leftByKilled(temporary, "elsewhere");
    mkdirSync(join(temporary, "elsewhere"));
    renameSync(folder, join(temporary, "elsewhere", "moved"));
    symlinkSync(join(temporary, "elsewhere", "moved"), folder);

    await removeStaleUploads(fail);

    expect(contentsIn(join(temporary, "elsewhere"))).toEqual(["elsewhere"]);
  });

  it("are removed without following a link among them", async () => {
    const temporary = temporaryFolder();
    const folder = await leftByKilled(temporary, "a face");
    writeFileSync(join(temporary, "diary"), "dear diary");
    symlinkSync(join(temporary, "diary"), join(folder, "0".repeat(32)));

    await removeStaleUploads(fail);

    expect(contentsIn(temporary)).toEqual(["dear diary"]);
    expect(readdirSync(temporary)).toEqual(["diary"]);
  });

  it("are removed only with what a server has put there", async () => {
    const temporary = temporaryFolder();
    const folder = await leftByKilled(temporary, "a face");
    mkdirSync(join(folder, "letters"));
    writeFileSync(join(folder, "letters", "one"), "dear reader");

    await removeStaleUploads(() => {});

    expect(contentsIn(temporary)).toEqual(["dear reader"]);
  });

  it("stay where this process runs as another user", async () => {
    const temporary = temporaryFolder();
    await leftByKilled(temporary, "of another user");
    vi.spyOn(process, "getuid").mockReturnValue((process.getuid?.() ?? 0) + 1);
    onTestFinished(() => void vi.restoreAllMocks());

    await removeStaleUploads(fail);

    expect(contentsIn(temporary)).toEqual(["of another user"]);
  });

  // Only root can give a folder to another user.
  it.skipIf(!isRoot)("stay where another user owns them", async () => {
    const temporary = temporaryFolder();
    const folder = await leftByKilled(temporary, "of another user");
    chownSync(folder, 65_534, 65_534);

    await removeStaleUploads(fail);

    expect(contentsIn(temporary)).toEqual(["of another user"]);
  });

  it("stay where nothing says that their server is gone", async () => {
    const temporary = temporaryFolder();
    const folder = await leftByKilled(temporary, "of a server that starts");
    const lock = readdirSync(folder).find((name) => statSync(join(folder, name)).isSocket());
    rmSync(join(folder, String(lock)));

    await removeStaleUploads(fail);

    expect(contentsIn(temporary)).toEqual(["of a server that starts"]);
  });
});
