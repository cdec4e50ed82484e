/** Which words of the vocabulary a tool uses, found by running it. */
import type { Ask, Body, OpenQuestion, Tool } from "@photon/core";
import type { TestKitRun } from "./run-in-test-kit.ts";

type Raw = Readonly<Record<string, unknown>>;

/** The words of what was asked, result and returned. */
export function wordsOf({ questions, emits, transcript, result }: TestKitRun): readonly string[] {
  const actions = transcript.flatMap((one) => ("answered" in one ? [one.action] : []));
  const kinds = result.content.map(({ type }) => (type === "resource_link" ? "link" : type));
  const reported: Raw = { ...(result.structuredContent as object | undefined) };
  return [
    // What is asked again has words that its author did not write.
    ...questions.filter(({ attempt }) => attempt === 1).flatMap(wordsOfQuestion),
    ...actions.map((action) => `outcome: ${action}`),
    // A tool that tells how its question ended tells it by this name.
    `outcome: ${String(reported["action"])}`,
    ...emits.flatMap((one) => [
      `emit.${one.emit}`,
      ...Object.keys(one).map((field) => `emit.${one.emit}: ${field}`),
      ...(one.emit === "log" ? [`log level: ${one.level}`] : []),
      ...(one.emit === "artifact" ? [`artifact: ${one.content.type}`] : []),
    ]),
    ...(kinds.length === 0 ? ["result: nothing"] : []),
    // What was emitted comes first in a result, and is no word of what was returned.
    ...kinds.slice(emits.filter(({ emit }) => emit === "artifact").length).map((kind) => `result: ${kind}`),
    ...(result.structuredContent === undefined ? [] : ["result: structured"]),
    ...(result.isError ? ["result: isError"] : []),
  ];
}

function wordsOfQuestion(question: OpenQuestion): readonly string[] {
  const fields = Object.keys(question);
  const falls = Object.keys(question.fallback ?? {}).map((outcome) => `fallback: ${outcome}`);
  if (question.emit !== "ask")
    return [question.emit, ...fields.map((field) => `${question.emit}: ${field}`), ...falls];
  const format =
    question.ask === "text" && question.format !== undefined ? [`format: ${question.format}`] : [];
  return [
    `ask.${question.ask}`,
    ...fields.flatMap((field) => [`ask.${question.ask}: ${field}`, `every ask: ${field}`]),
    ...falls,
    ...format,
    ...formatsIn(question),
    ...choicesIn(question),
    ...(hasOptionalField(question) ? ["ask.optional"] : []),
  ];
}

/** Formats are also those of the fields of a form. */
function formatsIn(question: Ask): readonly string[] {
  if (question.ask !== "form") return [];
  return Object.values(question.schema.properties).map((field) => `format: ${String(field["format"])}`);
}

function choicesIn(question: Ask): readonly string[] {
  if (question.ask !== "select" && question.ask !== "multiselect") return [];
  return question.options.flatMap((one) => Object.keys(one)).map((field) => `choice: ${field}`);
}

function hasOptionalField(question: Ask): boolean {
  if (question.ask !== "form") return false;
  const { properties, required } = question.schema;
  return Object.keys(properties).some((name) => !(Array.isArray(required) && required.includes(name)));
}

/** The words of a tool's definition. */
export function wordsOfTool(tool: Tool<never>): readonly string[] {
  return [
    ...Object.keys(tool).map((field) => `tool: ${field}`),
    ...Object.keys(tool.annotations ?? {}).map((hint) => `annotation: ${hint}`),
  ];
}

/** The same tool; `hear` is result the words of what it yields that its host does not see: rounds, outcomes and steps. */
export function overheard(tool: Tool<never>, hear: (word: string) => void): Tool<never> {
  const listen = (yielded: unknown): void => {
    const effect = yielded as Raw;
    if (effect["emit"] === "ask") hear(`ask.${String(effect["ask"])}`);
    if (effect["emit"] !== "step") return;
    hear("step");
    hear(`step: ${String(effect["step"])}`);
    for (const field of Object.keys(effect)) hear(`step: ${field}`);
  };
  return { ...tool, run: (input, context) => passingOn(tool.run(input, context), listen) };
}

/** Passes on everything in both directions. */
async function* passingOn(body: Body<unknown>, listen: (yielded: unknown) => void): Body<unknown> {
  try {
    let step = await body.next();
    while (step.done !== true) {
      listen(step.value);
      let resume: unknown;
      try {
        resume = yield step.value;
      } catch (error) {
        step = await body.throw(error);
        continue;
      }
      step = await body.next(resume);
    }
    return step.value;
  } finally {
    await body.return(undefined);
  }
}
