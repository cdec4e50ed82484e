import { expect, it, onTestFinished } from "vitest";
import { verifies } from "../requirements.ts";
import { nobody } from "./answers.ts";
import type { Guest } from "./column.ts";
import { everything } from "./guest.ts";
import { ModernGuest } from "./modern-guest.ts";
import type { Scene } from "./scene.ts";

const yes = { "ask-1": { action: "accept", content: { value: true } } };

function assertModern(guest: Guest): asserts guest is ModernGuest {
  if (!(guest instanceof ModernGuest)) throw new Error("Somebody came with a session.");
}

/** Calls that belong to no connection. */
export function resuming(scene: Scene): void {
  it.each([
    ["takes its leave", "leave"],
    ["vanishes", "vanish"],
  ] as const)(
    verifies(
      ["C6", "C2"],
      "goes on with a call whose client %s while it is asked, for whoever brings the answer",
    ),
    async (_, go) => {
      const { guest, served } = await scene.elsewhere(nobody);
      const another = served.invite(everything);
      onTestFinished(() => another.client.close());
      assertModern(guest);
      assertModern(another);
      await another.arrive();

      const state = await guest.begin("waits");
      await guest.line[go]();

      await expect(another.goOn("waits", state, yes)).resolves.toMatchObject({ text: "true" });
    },
  );
}
