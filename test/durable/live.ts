/** What the wizard is called with, what a person says to it, and what comes of it where nothing goes wrong. */
export const input = { city: "Rome" };

const said = [
  ["ask-1", "Who is it for?", "Ada"],
  ["ask-2", "How many nights?", 3],
  ["ask-3", "Who else?", "Bob"],
  ["ask-4", "Which room?", "double"],
  ["ask-5", "With breakfast?", true],
  ["ask-6", "Any wishes?", "none"],
] as const;

/** By the keys of the questions. */
export const answers: { readonly [key: string]: unknown } = Object.fromEntries(
  said.map(([key, , answer]) => [key, answer]),
);

/** By their words. */
export const answersTo: { readonly [message: string]: string | number | boolean } = Object.fromEntries(
  said.map(([, message, answer]) => [message, answer]),
);

export const steps = ["hold", "pay", "send", "book"] as const;

export type StepName = (typeof steps)[number];

export const result = {
  ...input,
  name: "Ada",
  held: "hold done",
  nights: 3,
  paid: "pay done",
  guest: "Bob",
  room: "double",
  sent: "send done",
  breakfast: true,
  booked: "book done",
  wish: "none",
};
