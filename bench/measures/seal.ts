/** What it costs to seal the state that a client carries, and to open it again. */
import { createCipheriv, randomBytes } from "node:crypto";
import type { Measure } from "../harness/plan.ts";
import { takeWarmTurns } from "../harness/take-turns.ts";
import { timed } from "../harness/timed.ts";

interface SealedBox {
  seal(text: string, bound: string): string;
  open(sealed: string, bound: string): string | undefined;
}

const FLOOR = "encrypting it, and no more";
const BOUND = "tools/call ask";

/** The same cipher, by itself. */
function bare(text: string, key: Buffer): void {
  const cipher = createCipheriv("aes-256-gcm", key, randomBytes(12));
  cipher.update(text, "utf8");
  cipher.final();
}

export const seal: Measure = {
  name: "seal",
  about: "what it costs to seal and to open a state of 200 bytes, and one of 20 kB",
  async take(plan) {
    const times = plan.isQuick ? 50 : 5000;
    const built = new URL("../../../packages/server/dist/seal.js", import.meta.url).href;
    // What the server does not export, which the types of its build say all the same.
    const { SealedBox } = (await import(built)) as { readonly SealedBox: new () => SealedBox };
    const sealer = new SealedBox();
    const key = randomBytes(32);
    const turns = [200, 20_000].flatMap((length) => {
      const text = "x".repeat(length);
      const sealed = sealer.seal(text, BOUND);
      const ways = {
        [FLOOR]: () => bare(text, key),
        seal: () => sealer.seal(text, BOUND),
        open: () => sealer.open(sealed, BOUND),
      };
      return Object.entries(ways).map(([who, work]) => ({
        where: `a state of ${length.toLocaleString("en")} bytes`,
        who,
        take: async () => ({ cost: await timed(times, work) }),
      }));
    });
    return [
      {
        title: "Sealing",
        floor: FLOOR,
        columns: { cost: { title: "each", unit: "microseconds", isCompared: true } },
        rows: await takeWarmTurns(turns, plan),
      },
    ];
  },
};
