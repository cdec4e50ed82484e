import { expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { accept, decline, nobody, thinker } from "./answers.ts";
import type { Guest } from "./column.ts";
import { nothing } from "./guest.ts";
import type { Scene } from "./scene.ts";

const options = { enum: ["monday", "friday"], enumNames: ["Monday", "Friday"] };
const titled = [
  { const: "monday", title: "Monday" },
  { const: "friday", title: "Friday" },
];

/** What is asked for before a prompt or a resource is given. */
const ways = [
  {
    what: "a prompt",
    feature: "prompts that ask",
    get: async ({ client }: Guest, signal?: AbortSignal): Promise<unknown> =>
      (await client.getPrompt({ name: "interview" }, signal && { signal })).messages,
    message: "What about?",
    field: () => ({ type: "string", title: "What about?" }),
    value: "trains",
    given: [{ role: "assistant", content: { type: "text", text: "Let us talk about trains." } }],
  },
  {
    what: "a resource",
    feature: "resources that ask",
    get: async ({ client }: Guest, signal?: AbortSignal): Promise<unknown> =>
      (await client.readResource({ uri: "note://diary" }, signal && { signal })).contents,
    message: "Which day?",
    field: (scene: Scene) => ({
      type: "string",
      title: "Which day?",
      ...(scene.isSince("2025-11-25") ? { oneOf: titled, default: "friday" } : options),
    }),
    value: "monday",
    given: [{ uri: "note://diary", text: "It rained on monday." }],
  },
] as const;

/** Prompts and resources that ask, as tools do. */
export function offersThatAsk(scene: Scene): void {
  it.each(ways)(
    verifies(["A9", "C1", "C2"], "asks on behalf of $what, in the form of the revision"),
    async ({ get, message, field, value, given, feature }) => {
      const guest = await scene.seat(accept({ value }));

      await expect(get(guest)).resolves.toEqual(given);

      const requestedSchema = { type: "object", properties: { value: field(scene) }, required: ["value"] };
      const mode = scene.isSince("2025-11-25") ? { mode: "form" } : {};
      expect(guest.questions).toEqual([{ ...mode, message, requestedSchema }]);
      scene.shows(feature);
    },
  );

  it.each(ways)(
    verifies(["A9", "B1"], "says what came of $what whose question was declined"),
    async ({ get, message }) => {
      const guest = await scene.seat(decline);

      await expect(get(guest)).rejects.toThrow(`The person declined to answer "${message}" (ask-1).`);
    },
  );

  it.each(ways)(
    verifies(["A9", "B4"], "says what was needed where a client without elicitation wants $what that asks"),
    async ({ get, message }) => {
      const guest = await scene.seat(nobody, nothing);

      const refused: unknown = await get(guest).catch((error: unknown) => error);

      const sentence = `"${message}" (ask-1) cannot be asked here: the client shows no forms (elicitation).`;
      expect(refused).toMatchObject({
        code: scene.isModern ? -32021 : -32603,
        message: expect.stringContaining(sentence),
      });
      expect(guest.questions).toEqual([]);
    },
  );

  it.each(ways)(
    verifies(["A9", "B8"], "takes back the question of $what that is no longer wanted"),
    async ({ get }) => {
      const person = thinker();
      const guest = await scene.seat(person.answer);
      const leaving = new AbortController();

      const getting = get(guest, leaving.signal);
      await person.asked;
      leaving.abort("changed my mind");

      await expect(getting).rejects.toThrow("changed my mind");
      await expect(person.dropped).resolves.toBeUndefined();
    },
  );
}
