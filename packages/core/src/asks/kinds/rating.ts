/** `ask.rating`: one to `max` stars, 5 by default. */
import type { AskOptions, RatingAsk, RatingMax, RatingValue } from "../../ask-types.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { describeValue } from "../../util/describe-value.ts";
import { type AskKindDescriptor, ofType } from "../ask-kind.ts";
import { makeAsk } from "../make-ask.ts";
import type { Yieldable } from "../yieldable.ts";
import { numberFrom } from "./number.ts";

export const ratingKind: AskKindDescriptor<RatingAsk> = {
  kind: "rating",
  options: { default: true, max: true },
  parseOptions: ({ max = 5 }) => ({ max }),
  checkOptions: ({ max }) =>
    isRatingMax(max) ? undefined : `its max is ${describeValue(max)}; give a whole number from 2 to 10`,
  answerSchema: ({ max }) => ofType("integer", { minimum: 1, maximum: max }),
  // Clients that know the keyword draw stars. JSON Schema ignores it.
  fieldSchema: (ask) => ({ ...ratingKind.answerSchema(ask), rating: true }),
  parseAnswer: (_, given) => (typeof given === "string" ? numberFrom(given) : given),
};

/** How many stars a field of a form has; `undefined` where it is not a rating. */
export function ratingMaxOf({ type, rating: isRating, minimum, maximum }: JsonSchema): RatingMax | undefined {
  const isMax = isRating === true && type === "integer" && minimum === 1 && isRatingMax(maximum);
  return isMax ? maximum : undefined;
}

const isRatingMax = (max: unknown): max is RatingMax =>
  Number.isInteger(max) && Number(max) >= 2 && Number(max) <= 10;

/** `NoInfer` in the type it returns: without a `max`, TypeScript would infer one from what the generator may yield. */
export function rating<const Max extends RatingMax = 5>(
  message: string,
  options: AskOptions<RatingValue<NoInfer<Max>>> & { readonly max?: Max } = {},
): Yieldable<RatingAsk<NoInfer<Max>>, RatingValue<NoInfer<Max>>> {
  const made: unknown = makeAsk(ratingKind, message, options);
  // Its answers are bounded by the `max` it was made of.
  return made as ReturnType<typeof rating<Max>>;
}
