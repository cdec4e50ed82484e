/** A store holds nothing of a run that can be read, and nothing at all of a secret (requirement B6). */
import { randomBytes } from "node:crypto";
import { ask, step, tool } from "@photon/core";
import { expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { RunRepository } from "../../src/durable/run-repository.ts";
import { SealedBox } from "../../src/crypto/sealed-box.ts";
import { resolveSettings } from "../../src/settings.ts";
import { answerPage } from "../secrets/person.ts";
import { serveStateless } from "../wire/servers.ts";
import { questionsIn, textOf } from "../../../../test/clients/raw-client.ts";

const keys = [randomBytes(32).toString("base64")];
const SECRET = "correct horse battery";

const login = tool({
  name: "login",
  durable: true,
  async *run() {
    const name = yield* ask.text("Name?");
    const password = yield* ask.secret("Password?");
    yield* step("sign in", () => password.reveal().length);
    const isSure = yield* ask.confirm("Stay?");
    return `${name} ${password.reveal().length} ${isSure}`;
  },
});

/** A store that notes everything it is given, and the runs it is given it for. */
function noting(store: Store): {
  readonly store: Store;
  readonly noted: string[];
  readonly runs: Set<string>;
} {
  const noted: string[] = [];
  const runs = new Set<string>();
  const noticed = new Proxy(store, {
    get(target, name: keyof Store) {
      const method = target[name].bind(target) as (...given: unknown[]) => unknown;
      return (...given: unknown[]) => {
        noted.push(JSON.stringify(given));
        if (name === "append") runs.add(String(given[0]));
        return method(...given);
      };
    },
  });
  return { store: noticed, noted, runs };
}

it(
  verifies(
    "B6",
    "a store is given nothing that it can read, and of a secret nothing even for who has the keys",
  ),
  async () => {
    const { store, noted, runs } = noting(memoryStore());
    const { client } = await serveStateless(
      { tools: [login], keys, store, report() {} },
      { elicitation: { form: {}, url: {} } },
    );
    const one = await client.call("login");
    const two = await client.accept(one, { "ask-1": "Ada Lovelace" });
    await answerPage(String(questionsIn(two)["ask-2"]?.params?.["url"]), SECRET);
    const three = await client.retry(two, { "ask-2": { action: "accept" } });

    const last = await client.accept(three, { "ask-3": true });

    expect(textOf(last.answer)).toBe(`Ada Lovelace ${SECRET.length} true`);
    expect(noted.join("\n")).not.toMatch(/Ada Lovelace|correct horse/);
    const opened = new RunRepository(store, new SealedBox(keys), resolveSettings({ keys }));
    const records = JSON.stringify(await Promise.all([...runs].map((run) => opened.read(run, 0))));
    expect(records).toContain("Ada Lovelace");
    expect(records).toContain('"secret":true');
    expect(records).not.toContain(SECRET);
  },
);
