import type { RatingAsk, Reply } from "@photon/core";
import { hear, isReturn } from "../hear.ts";
import { Words } from "../words.ts";
import type { Field } from "./field.ts";

/** Stands for no stars, where a field may be left empty. */
const EMPTY = 0;

/** A row for each number of stars. Its digit chooses and sends it; 0 is 10. Or the arrow keys choose, and enter sends. */
export async function askRating(ask: RatingAsk, { scene, isOptional }: Field): Promise<Reply> {
  const { max, default: suggested } = ask;
  const { star, noStar } = scene.terminal.symbols;
  const ratings = Array.from({ length: max }, (_, index) => ({
    value: index + 1,
    label: `${String(index + 1).padStart(max > 9 ? 2 : 1)} ${star.repeat(index + 1)}${noStar.repeat(max - index - 1)}`,
  }));
  const options = isOptional ? [{ value: EMPTY, label: "(leave it empty)" }, ...ratings] : ratings;
  const first = options.findIndex(({ value }) => value === (suggested ?? EMPTY));
  const wanted = `press ${max > 9 ? "1 to 9, or 0 for 10" : `1 to ${max}`}`;
  const words = new Words({ ...ask, wanted }, scene, { guided: false });
  const digits = options.map(({ value }) => (value === EMPTY ? "" : String(value % 10)));
  const typing = {
    takes: "keys",
    settles: isReturn,
    digits: { options: digits, suggested: Math.max(first, 0), isChosen: first >= 0 },
  } as const;
  const reply = await hear(scene, words, typing, (streams) =>
    scene.clack.select<number>({
      ...streams,
      options,
      ...(first < 0 ? {} : { initialValue: options[first]?.value ?? EMPTY }),
      get message() {
        return words.now;
      },
    }),
  );
  return reply.action === "accept" && reply.value === EMPTY ? { action: "accept" } : reply;
}
