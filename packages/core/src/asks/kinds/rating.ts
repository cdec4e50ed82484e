/** `ask.rating`: one to `max` stars, 5 by default. */
import type { JsonSchema } from "../../schema/schema.ts";
import { describeValue } from "../../util/describe-value.ts";
import {
  type AskBase,
  type AskOptions,
  describeRange,
  type FieldKindDescriptor,
  makeAsk,
} from "../ask-kind.ts";
import { ofType } from "../flat-schema.ts";
import type { Yieldable } from "../yieldable.ts";
import { numberFrom } from "./number.ts";

/** How many stars a rating can have. */
export type RatingMax = 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** The answers to a rating of so many stars: `1 | 2 | 3` for 3. */
export type RatingValue<
  Max extends RatingMax,
  Counted extends readonly unknown[] = [unknown],
> = Max extends unknown
  ? Counted["length"] extends Max
    ? Max
    : Extract<Counted["length"], number> | RatingValue<Max, [...Counted, unknown]>
  : never;

/** One to `max` stars. */
export interface RatingAsk<Max extends RatingMax = RatingMax> extends AskBase<"rating", RatingValue<Max>> {
  readonly max: Max;
}

export const rating: FieldKindDescriptor<RatingAsk, RatingValue<RatingMax>> & {
  readonly create: typeof create;
} = {
  kind: "rating",
  isField: true,
  create,
  options: { default: true, max: true },
  parseOptions: ({ max = 5 }) => ({ max }),
  checkOptions: ({ max }) =>
    isRatingMax(max) ? undefined : `its max is ${describeValue(max)}; give a whole number from 2 to 10`,
  answerSchema: ({ max }) => ofType("integer", { minimum: 1, maximum: max }),
  // Clients that know the keyword draw stars. JSON Schema ignores it.
  fieldSchema: (ask) => ({ ...rating.answerSchema(ask), rating: true }),
  optionsFromField(schema) {
    const max = ratingMaxOf(schema);
    return max === undefined ? undefined : { max };
  },
  extraKeywords: { rating: (value) => value === true },
  annotations: ["rating"],
  parseAnswer: (_, given) => (typeof given === "string" ? numberFrom(given) : given),
  expectedAnswer: ({ max }) => [describeRange(1, max, "star")],
};

/** How many stars a field of a form has; undefined if it is not a rating. */
export function ratingMaxOf({ type, rating: isRating, minimum, maximum }: JsonSchema): RatingMax | undefined {
  const isMax = isRating === true && type === "integer" && minimum === 1 && isRatingMax(maximum);
  return isMax ? maximum : undefined;
}

function isRatingMax(max: unknown): max is RatingMax {
  return Number.isInteger(max) && Number(max) >= 2 && Number(max) <= 10;
}

/** `NoInfer` in the type it returns: without a `max`, TypeScript would infer one from what the generator may yield. */
function create<const Max extends RatingMax = 5>(
  message: string,
  options: AskOptions<RatingValue<NoInfer<Max>>> & { readonly max?: Max } = {},
): Yieldable<RatingAsk<NoInfer<Max>>, RatingValue<NoInfer<Max>>> {
  const made: unknown = makeAsk(rating, message, options);
  // `max` determines the type of the answer.
  return made as ReturnType<typeof create<Max>>;
}
