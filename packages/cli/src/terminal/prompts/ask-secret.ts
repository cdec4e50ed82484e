import type { Reply, SecretAsk } from "@photon/core";
import { hear } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import { Words } from "../words.ts";
import type { Field } from "./field.ts";

/** Something that is not shown while it is typed, nor afterwards. */
export function askSecret(ask: SecretAsk, { scene, check }: Field): Promise<Reply> {
  const words = new Words({ ...ask, wanted: wantedFor(ask, false) }, scene, { guided: true });
  return hear(scene, words, { takes: "line" }, (streams) =>
    scene.clack.password({
      ...streams,
      get message() {
        return words.now;
      },
      async validate(secret = "") {
        const problem = await check(secret);
        words.isSettled = problem === undefined;
        return problem;
      },
    }),
  );
}
