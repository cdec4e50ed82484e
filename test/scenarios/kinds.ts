/** Each kind of question: its exact form in a revision, the content of the reply, and the answer that the tool receives. */
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import type { ServerFixture } from "./fixture.ts";

export interface Kind {
  readonly tool: "text" | "number" | "rating" | "confirm" | "select" | "multiselect" | "date" | "form";
  readonly message: string;
  readonly schema: unknown;
  readonly content: ElicitResult["content"];
  readonly answer: unknown;
  /** How it is asked, if not as such a question is in the other revisions. */
  readonly how?: string;
}

/** The kinds in the form of 2025-11-25, or for older revisions in that of 2025-06-18. */
export const kindsIn = (scene: Pick<ServerFixture, "isSince">): readonly Kind[] =>
  scene.isSince("2025-11-25") ? current : downLevelled;

const one = (field: object): object => ({
  type: "object",
  properties: { value: field },
  required: ["value"],
});

const text = {
  type: "string",
  title: "Name",
  description: "As in your passport. Must begin with a capital letter.",
  minLength: 2,
  maxLength: 20,
};
const number = { type: "integer", title: "How many nights?", minimum: 1, maximum: 30 };
const rating = { type: "integer", title: "How good was it?", minimum: 1, maximum: 5 };
const confirm = { type: "boolean", title: "Book it?", default: false };
const date = {
  type: "string",
  title: "Which day?",
  description: "Not before 2026-01-01. Not after 2026-12-31.",
  format: "date",
};
const rooms = [
  { const: "single", title: "Single room" },
  { const: "double", title: "Double room" },
];
const extras = [
  { const: "wifi", title: "Wi-Fi" },
  { const: "breakfast", title: "Breakfast" },
  { const: "parking", title: "Parking" },
];
const name = { type: "string", title: "Name" };
const email = { type: "string", title: "Email", format: "email" };
const news = { type: "boolean", title: "Newsletter", default: true };

const filledIn = { name: "Ada", email: "ada@example.com", room: "double", news: false };

const current: readonly Kind[] = [
  {
    tool: "text",
    message: "What is your name?",
    schema: one({ ...text, default: "Ada" }),
    content: { value: "Grace" },
    answer: "Grace",
  },
  {
    tool: "number",
    message: "How many nights?",
    schema: one({ ...number, default: 2 }),
    content: { value: 3 },
    answer: 3,
  },
  {
    tool: "rating",
    message: "How good was it?",
    schema: one({ ...rating, default: 4 }),
    content: { value: 5 },
    answer: 5,
  },
  {
    tool: "confirm",
    message: "Book it?",
    schema: one(confirm),
    content: { value: true },
    answer: true,
  },
  {
    tool: "select",
    message: "Which room?",
    schema: one({ type: "string", title: "Which room?", default: "double", oneOf: rooms }),
    content: { value: "single" },
    answer: "single",
  },
  {
    tool: "multiselect",
    message: "Which extras?",
    schema: one({
      type: "array",
      title: "Which extras?",
      default: ["wifi"],
      items: { anyOf: extras },
      minItems: 1,
      maxItems: 2,
    }),
    content: { value: ["wifi", "parking"] },
    answer: ["wifi", "parking"],
  },
  {
    tool: "date",
    message: "Which day?",
    schema: one({ ...date, default: "2026-05-01" }),
    content: { value: "2026-06-30" },
    answer: "2026-06-30",
  },
  {
    tool: "form",
    message: "Who is coming?",
    schema: {
      type: "object",
      properties: {
        name,
        email,
        age: { type: "number", title: "Age", minimum: 18, default: 30 },
        room: { type: "string", title: "Room", oneOf: rooms },
        extras: { type: "array", title: "Extras", items: { anyOf: extras }, minItems: 1 },
        news,
      },
      required: ["name", "email", "room", "news"],
    },
    content: { ...filledIn, extras: ["breakfast"] },
    answer: { ...filledIn, age: 30, extras: ["breakfast"] },
  },
];

/** What is different in 2025-06-18: it has defaults for booleans only, and titles of choices only as `enumNames`. */
const changes: Readonly<Record<string, Partial<Kind>>> = {
  text: { schema: one(text) },
  number: { schema: one(number) },
  rating: { schema: one(rating) },
  select: {
    schema: one({
      type: "string",
      title: "Which room?",
      enum: ["single", "double"],
      enumNames: ["Single room", "Double room"],
    }),
  },
  // Each choice is a boolean.
  multiselect: {
    schema: {
      type: "object",
      properties: {
        "value.wifi": {
          type: "boolean",
          title: "Wi-Fi",
          description: "Choose at least 1. Choose at most 2.",
          default: true,
        },
        "value.breakfast": { type: "boolean", title: "Breakfast" },
        "value.parking": { type: "boolean", title: "Parking" },
      },
    },
    content: { "value.wifi": true, "value.breakfast": false, "value.parking": true },
    how: "a yes or no for each choice",
  },
  date: { schema: one(date) },
  form: {
    schema: {
      type: "object",
      properties: {
        name,
        email,
        age: { type: "number", title: "Age", minimum: 18 },
        room: {
          type: "string",
          title: "Room",
          enum: ["single", "double"],
          enumNames: ["Single room", "Double room"],
        },
        "extras.wifi": { type: "boolean", title: "Extras: Wi-Fi", description: "Choose at least 1." },
        "extras.breakfast": { type: "boolean", title: "Extras: Breakfast" },
        "extras.parking": { type: "boolean", title: "Extras: Parking" },
        news,
      },
      required: ["name", "email", "room", "news"],
    },
    content: { ...filledIn, "extras.wifi": false, "extras.breakfast": true, "extras.parking": false },
  },
};

const downLevelled: readonly Kind[] = current.map((kind) => ({ ...kind, ...changes[kind.tool] }));
