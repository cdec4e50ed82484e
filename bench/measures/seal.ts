/** The cost of encrypting and decrypting a `requestState`. */
import { createCipheriv, randomBytes } from "node:crypto";
import type { Measure } from "../harness/settings.ts";
import { runWarmRounds } from "../harness/run-rounds.ts";
import { meanTime } from "../harness/cost.ts";

interface SealedBox {
  encrypt(text: string, aad: string): string;
  decrypt(sealed: string, aad: string): string | undefined;
}

const BASELINE = "encrypting it, and no more";
const AAD = "tools/call ask";

/** The baseline: the same cipher, and nothing else. */
function bare(text: string, key: Buffer): void {
  const cipher = createCipheriv("aes-256-gcm", key, randomBytes(12));
  cipher.update(text, "utf8");
  cipher.final();
}

export const seal: Measure = {
  name: "seal",
  about: "the cost of encrypting and decrypting a requestState of 200 bytes, and one of 20 kB",
  async run(settings) {
    const times = settings.isQuick ? 50 : 5000;
    const built = new URL("../../../packages/server/dist/crypto/sealed-box.js", import.meta.url).href;
    // The class is not exported by the server, so its type is declared above.
    const { SealedBox } = (await import(built)) as { readonly SealedBox: new () => SealedBox };
    const box = new SealedBox();
    const key = randomBytes(32);
    const samplers = [200, 20_000].flatMap((length) => {
      const text = "x".repeat(length);
      const sealed = box.encrypt(text, AAD);
      const variants = {
        [BASELINE]: () => bare(text, key),
        encrypt: () => box.encrypt(text, AAD),
        decrypt: () => box.decrypt(sealed, AAD),
      };
      return Object.entries(variants).map(([variant, work]) => ({
        scenario: `a state of ${length.toLocaleString("en")} bytes`,
        variant,
        sample: async () => ({ cost: await meanTime(times, work) }),
      }));
    });
    return [
      {
        title: "Encrypting the requestState",
        baseline: BASELINE,
        columns: { cost: { title: "each", unit: "microseconds", isCompared: true } },
        rows: await runWarmRounds(samplers, settings),
      },
    ];
  },
};
