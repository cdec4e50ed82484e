/** What becomes of a store in Redis when that ends, stands still, is full, or may not be written to. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openStore } from "../../src/stores/open-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { folder } from "./folder.ts";
import { freePort, startRedis, type RedisServer } from "./redis-server.ts";
import { collectMessages } from "@photon/server/store-contract";

const until = Date.now() + 3_600_000;
const patient = { timeout: 60_000 };

async function redis(...settings: readonly string[]): Promise<RedisServer> {
  const server = await startRedis(...settings);
  onTestFinished(() => server.end());
  return server;
}

async function opened(address: string): Promise<Store> {
  const store = await openStore(address);
  onTestFinished(() => store.close());
  return store;
}

/** The store at that address cannot be used, and says so. */
const unavailable = (address: string, problem: string | RegExp): object => ({
  code: "STORE_UNAVAILABLE",
  message:
    typeof problem === "string"
      ? `The store ${address}/0 cannot be used: ${problem}.`
      : expect.stringMatching(problem),
});

describe("a Redis", () => {
  it(
    verifies("E4", "that ends and is started again is an error meanwhile, and has everything afterwards"),
    patient,
    async () => {
      const server = await redis("--appendonly", "yes", "--appendfsync", "always");
      const store = await opened(server.address);
      const other = await opened(server.address);
      const near = await collectMessages(store, "channel");
      await store.append("run", 0, ["a"], { until, open: { group: "ada", since: 1, value: "v" } });
      await other.publish("channel", "before");
      await near.received(1);

      await server.stop();
      const gone = unavailable(
        server.address,
        /: (?:the connection to it was lost|it cannot be reached \(.*\))\.$/,
      );
      const tries = await Promise.allSettled([
        store.append("run", 1, ["b"], { until }),
        store.ping(),
        other.subscribe("channel", () => {}),
      ]);
      for (const one of tries) expect(one).toMatchObject({ reason: gone });
      await server.start();

      expect(await store.append("run", 1, ["c"], { until })).toBe(true);
      expect(await other.read("run")).toEqual(["a", "c"]);
      expect(await other.list({ limit: 5 })).toEqual({
        entries: [{ run: "run", group: "ada", since: 1, value: "v" }],
      });
      await eventually(async () => {
        await other.publish("channel", "after");
        return (await near.received(1)).includes("after");
      });
    },
  );

  it("that is away for a moment is waited for", patient, async () => {
    const server = await redis("--appendonly", "yes");
    const store = await opened(server.address);
    await store.append("run", 0, ["a"], { until });
    await server.stop();

    const [isIn] = await Promise.all([store.append("run", 1, ["b"], { until }), server.start()]);

    expect(isIn).toBe(true);
    expect(await store.read("run")).toEqual(["a", "b"]);
  });

  it("that stands still is an error within seconds, and goes on when it does", patient, async () => {
    const server = await redis();
    const store = await opened(server.address);
    await store.append("run", 0, ["a"], { until });

    server.signal("SIGSTOP");
    const tries = await Promise.allSettled([
      store.append("run", 1, ["b"], { until }),
      store.read("run"),
      store.lease("name", "ada", 1000),
      store.publish("channel", "message"),
    ]);
    server.signal("SIGCONT");

    for (const one of tries) {
      expect(one).toMatchObject({
        reason: unavailable(
          server.address,
          /: (?:it did not answer within seconds|the connection to it was lost)\.$/,
        ),
      });
    }
    await eventually(() =>
      store.ping().then(
        () => true,
        () => false,
      ),
    );
    // What was sent, and not answered, may have been done, and then once.
    const records = await store.read("run");
    expect([["a"], ["a", "b"]]).toContainEqual(records);
    expect(await store.append("run", records.length, ["c"], { until })).toBe(true);
  });

  it(
    "that lets its clients wait for longer than it may is an error, and works afterwards",
    patient,
    async () => {
      const server = await redis();
      const store = await opened(server.address);
      await store.append("run", 0, ["a"], { until });

      await server.say("CLIENT", "PAUSE", "60000", "WRITE");
      await expect(store.append("run", 1, ["b"], { until })).rejects.toMatchObject(
        unavailable(
          server.address,
          /: (?:it did not answer within seconds|the connection to it was lost)\.$/,
        ),
      );
      await server.say("CLIENT", "UNPAUSE");

      await eventually(() =>
        store.ping().then(
          () => true,
          () => false,
        ),
      );
      const { length } = await store.read("run");
      expect(await store.append("run", length, ["c"], { until })).toBe(true);
    },
  );

  it("that is read-only says so, is read, and is written to when it may be", patient, async () => {
    const server = await redis("--appendonly", "no");
    const store = await opened(server.address);
    await store.append("run", 0, ["a"], { until, open: { group: "ada", since: 1, value: "v" } });
    // Of a primary that is not there: it keeps what it has.
    await server.say("REPLICAOF", "127.0.0.1", String(await freePort()));

    await expect(store.append("run", 1, ["b"], { until, open: null })).rejects.toMatchObject(
      unavailable(server.address, "it is read-only"),
    );
    expect(await store.read("run")).toEqual(["a"]);
    expect((await store.list({ limit: 5 })).entries).toHaveLength(1);
    await expect(store.putIfAbsent("name", "a", until)).rejects.toMatchObject(
      unavailable(server.address, "it is read-only"),
    );
    await server.say("REPLICAOF", "NO", "ONE");

    expect(await store.append("run", 1, ["c"], { until })).toBe(true);
    expect(await store.read("run")).toEqual(["a", "c"]);
  });

  it(
    "that is full takes nothing in part, lets go of things, and goes on when there is room",
    patient,
    async () => {
      const server = await redis("--maxmemory-policy", "noeviction");
      const store = await opened(server.address);
      await store.append("run", 0, ["a"], { until });
      await store.lease("held", "ada", 60_000);
      await store.append("large", 0, ["x".repeat(4_000_000)], { until });
      await server.say("CONFIG", "SET", "maxmemory", "1mb");

      const full = unavailable(server.address, "it is full");
      const open = { group: "ada", since: 1, value: "v" };
      await expect(store.append("run", 1, ["b", "c"], { until, open })).rejects.toMatchObject(full);
      await expect(store.append("run", 1, [], { until, open })).rejects.toMatchObject(full);
      await expect(store.lease("name", "ada", 1000)).rejects.toMatchObject(full);
      await expect(store.putIfAbsent("name", "a", until)).rejects.toMatchObject(full);
      expect(await store.read("run")).toEqual(["a"]);
      expect(await store.getOpen("run")).toBeUndefined();
      expect(await store.list({ limit: 5 })).toEqual({ entries: [] });
      await store.release("held", "ada");
      await server.say("CONFIG", "SET", "maxmemory", "100mb");

      expect(await store.lease("held", "bob", 1000)).toBe(true);
      expect(await store.append("run", 1, ["b", "c"], { until, open })).toBe(true);
      expect(await store.getOpen("run")).toEqual({ run: "run", ...open });
    },
  );

  it("that wants a password is given it, and no error has it in it", patient, async () => {
    const password = "hünter/2@:%";
    const user = ["--user", "ada", "on", `>${encodeURIComponent(password)}`, "~*", "&*", "+@all"];
    const server = await redis("--requirepass", password, ...user);
    const at = (name: string, word: string): string =>
      server.address.replace("//", `//${name}:${encodeURIComponent(word)}@`);
    const store = await opened(at("", password));
    expect(await store.append("run", 0, ["a"], { until })).toBe(true);
    const named = await opened(at("ada", encodeURIComponent(password)));
    expect(await named.read("run")).toEqual(["a"]);

    const wrong = [server.address, at("", "wrong-hunter"), at("ada", "wrong-hunter")];
    const errors = await Promise.all(
      wrong.map((address) => openStore(address).catch((problem: unknown) => problem)),
    );
    for (const error of errors) {
      expect(error).toMatchObject(
        unavailable(server.address, "it does not accept the name and the password of its address"),
      );
      expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/hunter|hünter/);
    }
  });

  it("that speaks TLS is spoken to in it, by whoever trusts it", patient, async () => {
    const path = folder();
    const [key, cert] = [join(path, "key.pem"), join(path, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const made = [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-keyout",
      key,
      "-out",
      cert,
    ];
    execFileSync("openssl", [...made, ...subject], { stdio: "ignore" });
    const port = await freePort();
    const files = ["--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert];
    await redis("--tls-port", String(port), ...files, "--tls-auth-clients", "no");
    const address = `rediss://127.0.0.1:${port}`;

    const store = await opened(`${address}?ca=${encodeURIComponent(cert)}`);
    const other = await opened(`rediss://localhost:${port}?ca=${encodeURIComponent(cert)}`);
    const far = await collectMessages(other, "channel");
    await store.append("run", 0, ["a"], { until });
    await store.publish("channel", "message");

    expect(await other.read("run")).toEqual(["a"]);
    expect(await far.received(1)).toEqual(["message"]);
    await expect(openStore(address)).rejects.toMatchObject(
      unavailable(address, /: it cannot be reached \(self-signed certificate\)\.$/),
    );
  });

  it("that is not there is an error that says where it was looked for", patient, async () => {
    const port = await freePort();

    await expect(openStore(`redis://ada:hunter2@127.0.0.1:${port}/4`)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: `The store redis://127.0.0.1:${port}/4 cannot be used: it cannot be reached (connect ECONNREFUSED 127.0.0.1:${port}).`,
    });
  });

  it("closes while it is away, too", patient, async () => {
    const server = await redis();
    const store = await openStore(server.address);
    await store.subscribe("channel", () => {});
    await server.stop();
    const waiting = store.read("run").catch((problem: unknown) => problem);

    await store.close();

    expect(await waiting).toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it.each([
    "redis://",
    "redis://:6379",
    "redis://host/zero",
    "redis://host?db=1",
    "redis://ada:hunter2%@host",
    "redis://ada:hunter2@host:x",
  ])("at %j is refused, and no password is repeated", async (address) => {
    const error: unknown = await openStore(address).catch((problem: unknown) => problem);

    expect(error).toMatchObject({
      code: "INVALID_DEFINITION",
      message: expect.stringMatching(/^The address of a Redis must be redis:\/\/<user>:<password>@<host>/),
    });
    expect(inspect(error)).not.toContain("hunter2");
  });
});

/** Tries again until it is so. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
