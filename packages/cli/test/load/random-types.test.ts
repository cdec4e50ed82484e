/** Types made up at random: whatever can be written can be read, and means what it says. */
import fc from "fast-check";
import { describe, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { signatureOf, takes } from "./signature-of.ts";

/** A type as it is written, with values of it and values that are none. */
interface Sample {
  readonly text: string;
  readonly good: fc.Arbitrary<unknown>;
  readonly bad: fc.Arbitrary<unknown>;
}

const notText = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constant([]), fc.constant({}));

const primitives: readonly Sample[] = [
  { text: "string", good: fc.string(), bad: notText },
  { text: "number", good: fc.integer(), bad: fc.constantFrom("1", true, null, {}, []) },
  { text: "boolean", good: fc.boolean(), bad: fc.constantFrom(0, "true", null, {}) },
  {
    text: '"red" | "green" | 3',
    good: fc.constantFrom("red", "green", 3),
    bad: fc.constantFrom("blue", 4, null),
  },
  { text: "null | 7", good: fc.constantFrom(null, 7), bad: fc.constantFrom("7", 8, {}) },
];

const listOf = ({ text, good, bad }: Sample): Sample => ({
  text: `(${text})[]`,
  good: fc.array(good, { maxLength: 3 }),
  bad: fc.oneof(
    fc.constantFrom<unknown>("no list", 5, null, {}),
    bad.map((value) => [value]),
  ),
});

const recordOf = ({ text, good, bad }: Sample): Sample => ({
  text: `Record<string, ${text}>`,
  good: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), good, { maxKeys: 3 }),
  bad: fc.oneof(
    fc.constantFrom<unknown>("no record", 5, null, []),
    bad.map((value) => ({ key: value })),
  ),
});

const objectOf = (needed: Sample, optional: Sample): Sample => ({
  text: `{ needed: ${needed.text}; "not needed"?: ${optional.text} }`,
  good: fc.record({ needed: needed.good, "not needed": optional.good }, { requiredKeys: ["needed"] }),
  bad: fc.oneof(
    fc.constant<unknown>({}),
    needed.bad.map((value) => ({ needed: value })),
    fc.tuple(needed.good, optional.bad).map(([a, b]) => ({ needed: a, "not needed": b })),
    needed.good.map((value) => ({ needed: value, unknown: 1 })),
  ),
});

const types: fc.Arbitrary<Sample> = fc.letrec<{ type: Sample }>((tie) => ({
  type: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...primitives),
    tie("type").map(listOf),
    tie("type").map(recordOf),
    fc.tuple(tie("type"), tie("type")).map(([a, b]) => objectOf(a, b)),
  ),
})).type;

/** The same type, written in several ways. */
const spellings: readonly ((type: string) => string)[] = [
  (type) => `export async function* f(x: ${type}, other?: string) {}`,
  (type) => `type X = ${type};\nexport async function* f({ x }: { x: X; other?: string }) {}`,
  (type) => `interface In { x: ${type}; other?: string }\nexport async function* f(input: In) {}`,
  (type) =>
    `interface Base { other?: string }\ninterface In extends Base { x: ${type} }\nexport async function* f(input: In) {}`,
];

describe("the schema of any type", () => {
  it(
    verifies("A7", "is JSON Schema that takes what the type takes, and nothing else"),
    async () => {
      const cases = fc
        .tuple(types, fc.constantFrom(...spellings))
        .chain(([{ text, good, bad }, spell]) => fc.record({ source: fc.constant(spell(text)), good, bad }));

      await fc.assert(
        fc.asyncProperty(cases, async ({ source, good, bad }) => {
          const signature = signatureOf(source);
          return (
            (await takes(signature, { x: good })) &&
            (await takes(signature, { x: good, other: "text" })) &&
            !(await takes(signature, { x: bad })) &&
            !(await takes(signature, {}))
          );
        }),
        { numRuns: 150 },
      );
    },
    30_000,
  );
});
