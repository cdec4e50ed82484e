/** The input of the wizard, the answers to its questions, and its result without interruption. */
export const input = { city: "Rome" };

const questions = [
  ["ask-1", "Who is it for?", "Ada"],
  ["ask-2", "How many nights?", 3],
  ["ask-3", "Who else?", "Bob"],
  ["ask-4", "Which room?", "double"],
  ["ask-5", "With breakfast?", true],
  ["ask-6", "Any wishes?", "none"],
] as const;

/** The answers by the keys of the questions. */
export const answers: { readonly [key: string]: unknown } = Object.fromEntries(
  questions.map(([key, , answer]) => [key, answer]),
);

/** The answers by the messages of the questions. */
export const answersTo: { readonly [message: string]: string | number | boolean } = Object.fromEntries(
  questions.map(([, message, answer]) => [message, answer]),
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
