import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readPage } from "../docs/pages.ts";
import { installIn } from "../install-in.ts";
import { textOf } from "../kitchen-sink/tool-result.ts";
import { inTurn } from "../long.ts";
import {
  orderTea,
  orderTeaAcrossRestarts,
  orderTeaFromTheDead,
  orderTeaModern,
  orderTeaSilently,
  orderTeaUnasked,
  type Program,
} from "./customer.ts";
import { folder, kinds, page, writePrograms, type Changed, type Kind, type Programs } from "./programs.ts";

let programs: Programs;
beforeAll(async () => {
  await installIn(folder);
  programs = writePrograms();
}, 10 * 60_000);
afterAll(() => programs?.remove());

interface Shop {
  readonly program: Program;
  readonly orders: () => string;
  /** How long something waited in a program that was hurried, in seconds. */
  readonly waits: () => string;
}

/** A program in an empty folder, and what was written there. */
function shop(kind: Kind | Changed): Shop {
  const cwd = mkdtempSync(join(tmpdir(), "photon-shop-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const read = (file: string): string => {
    try {
      return readFileSync(join(cwd, file), "utf8");
    } catch {
      return "";
    }
  };
  return {
    program: { args: programs.argsOf(kind), cwd },
    orders: () => read("orders.txt"),
    waits: () => read("waited.txt"),
  };
}

// The programs take turns at the tests, unless everything is tried.
describe("the programs of docs/coming-from.md", { timeout: 30_000 }, () => {
  it("compile", () => {
    expect(programs.problems).toBe("");
  });

  it.each(inTurn(kinds, 0, 3))("order on a session what the person has said: %s", async (kind) => {
    const { program, orders } = shop(kind);

    const { asked, ...result } = await orderTea(program, [3, true]);

    expect(asked).toEqual(["How many boxes of tea?", "Order 3 boxes of tea?"]);
    expect(textOf(result)).toBe("Ordered 3 boxes of tea.");
    expect(orders()).toBe("3 tea\n");
  });

  it.each(inTurn(kinds, 1, 3))("order nothing when it is declined: %s", async (kind) => {
    const { program, orders } = shop(kind);

    const result = await orderTea(program, [3, { action: "decline" }]);

    expect({ text: textOf(result), isError: result.isError }).toEqual({
      text: "Nothing ordered.",
      isError: false,
    });
    expect(orders()).toBe("");
  });

  it.each(inTurn(kinds, 2, 3))("fail when nobody says how many: %s", async (kind) => {
    const { program, orders } = shop(kind);

    const result = await orderTea(program, [{ action: "decline" }]);

    const isOurs = kind === "Photon" || kind === "a class of Photon's";
    expect(textOf(result)).toContain(
      isOurs
        ? 'The person declined to answer "How many boxes of tea?" (ask-1).'
        : "No number of boxes was given (decline).",
    );
    expect(result.isError).toBe(true);
    expect(orders()).toBe("");
  });
});

describe("what docs/coming-from.md says of them", { timeout: 30_000 }, () => {
  it.each(["Photon", "a class of Photon's", "FastMCP", "the SDK, version 1"] as const)(
    "is what comes of 40 boxes, of which there are 20: %s",
    async (kind) => {
      const { program } = shop(kind);

      const result = await orderTea(program, [40]);

      const [said = ""] = /must be (?:at most|<=) 20/.exec(textOf(result)) ?? ["something else"];
      expect(result.isError).toBe(true);
      expect(page).toContain(`\`${said}\``);
    },
  );

  it("is that version 2 of the SDK asks again for what does not fit, and does not say why", async () => {
    const { program, orders } = shop("the SDK, version 2");

    const { asked } = await orderTea(program, [40, 3, true]);

    const [first, second] = asked;
    expect(second).toBe(first);
    expect(orders()).toBe("3 tea\n");
  });

  it.each(inTurn(kinds, 0, 3))("is what a client is told that shows no forms: %s", async (kind) => {
    const { program, orders } = shop(kind);

    const result = await orderTeaUnasked(program);

    const [said = ""] =
      /the client shows no forms|Client does not support form elicitation|did not declare the required capability/.exec(
        textOf(result),
      ) ?? ["something else"];
    expect(result.isError).toBe(true);
    expect(page).toContain(`\`${said}\``);
    expect(orders()).toBe("");
  });

  it.each(["Photon", "a class of Photon's", "the SDK, version 2"] as const)(
    "is that it asks in 2026-07-28: %s",
    async (kind) => {
      const { program, orders } = shop(kind);

      await orderTeaModern(program, [3, true]);

      expect(orders()).toBe("3 tea\n");
    },
  );

  it.each(["FastMCP", "the SDK, version 1"] as const)(
    "is that it does not know 2026-07-28: %s",
    async (kind) => {
      const { program } = shop(kind);

      await expect(orderTeaModern(program, [3, true])).rejects.toThrow(
        "the server did not offer pinned protocol version 2026-07-28",
      );
    },
  );

  const timeouts = [
    ["Photon", 300, "`AskTimedOut` after 5 minutes"],
    ["a class of Photon's", 300, "`AskTimedOut` after 5 minutes"],
    ["FastMCP", 60, "an error after a minute, unless `elicit`"],
    ["the SDK, version 1", 60, "an error after a minute, unless it"],
    ["the SDK, version 2", 600, "on a session an error after 10 minutes"],
  ] as const;
  it.each(inTurn(timeouts, 0, 2))(
    "is how long it waits when nobody answers: %s",
    async (kind, waited, words) => {
      const { program, orders, waits } = shop(kind);
      const hurry = ["--import", new URL("hurry.mjs", import.meta.url).href];

      const result = await orderTeaSilently({ ...program, args: [...hurry, ...program.args] });

      expect(textOf(result)).toMatch(/No answer to .* arrived in time|timed out/);
      expect(result.isError).toBe(true);
      expect(waits()).toBe(`${waited}\n`);
      expect(page).toContain(words);
      expect(orders()).toBe("");
    },
  );

  it.each(inTurn(kinds, 1, 3))("is that the call of a session is lost with its process: %s", async (kind) => {
    const { program, orders } = shop(kind);

    await expect(orderTeaFromTheDead(program)).rejects.toThrow("Connection closed");

    expect(orders()).toBe("");
  });

  it.each(["Photon, durable", "the SDK, version 2, with a key that is shared"] as const)(
    "is that it goes on after restarts: %s",
    async (kind) => {
      const { program, orders } = shop(kind);
      const env = { PHOTON_KEYS: "k".repeat(32) };

      const result = await orderTeaAcrossRestarts({ ...program, env }, [3, true]);

      expect(textOf(result)).toBe("Ordered 3 boxes of tea.");
      expect(orders()).toBe("3 tea\n");
    },
  );

  it.each(["Photon", "a class of Photon's", "the SDK, version 2"] as const)(
    "is that it needs more than is shown to go on after restarts: %s",
    async (kind) => {
      const { program, orders } = shop(kind);

      await expect(orderTeaAcrossRestarts(program, [3, true])).rejects.toThrow(/state/i);

      expect(orders()).toBe("");
    },
  );

  it("is of the versions that are installed here", () => {
    const installed = (lockfile: string, name: string): string => {
      // What npm reads as well.
      const { packages } = JSON.parse(readPage(lockfile)) as {
        readonly packages: Readonly<Record<string, { readonly version: string }>>;
      };
      return (packages[`node_modules/${name}`]?.version ?? "").replace(/\.\d+$/, "");
    };
    const [, , ...columns] = /^\| what happens .*$/m.exec(page)?.[0].split(/ *\| */) ?? [];

    expect(columns.slice(1, -1)).toEqual([
      `FastMCP ${installed("test/coming-from/package-lock.json", "fastmcp")}`,
      `SDK ${installed("package-lock.json", "@modelcontextprotocol/sdk")}`,
      `SDK ${installed("package-lock.json", "@modelcontextprotocol/server")}`,
    ]);
  });
});
