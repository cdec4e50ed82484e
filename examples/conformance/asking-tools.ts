/** Tools that ask the user (elicitation) or the client's model (sampling). */
import { ask, sample, tool, type Outcome } from "@photon/core";
import { textIn } from "./text-in.ts";

const sampling = tool({
  name: "test_sampling",
  description: "Asks the client's model",
  input: {
    type: "object",
    properties: { prompt: { type: "string", description: "The prompt for the model" } },
    required: ["prompt"],
  },
  needs: ["sample"],
  async *run({ prompt }) {
    const { content } = yield* sample(prompt, { maxTokens: 100 });
    return `LLM response: ${textIn(content)}`;
  },
});

const elicitation = tool({
  name: "test_elicitation",
  description: "Asks the user for a user name and an email address",
  input: {
    type: "object",
    properties: { message: { type: "string", description: "The message of the form" } },
    required: ["message"],
  },
  needs: ["form"],
  async *run({ message }) {
    const outcome = yield* ask.outcome(
      ask.form(message, {
        username: ask.text("User name", { description: "User's response" }),
        email: ask.text("Email", { description: "User's email address", format: "email" }),
      }),
    );
    return `User response: ${inWords(outcome)}`;
  },
});

const defaults = tool({
  name: "test_elicitation_sep1034_defaults",
  description: "Asks with a default for every type of field",
  needs: ["form"],
  async *run() {
    const outcome = yield* ask.outcome(
      ask.form("Please review the suggestions", {
        type: "object",
        properties: {
          name: { type: "string", title: "Name", default: "John Doe" },
          age: { type: "integer", title: "Age", default: 30 },
          score: { type: "number", title: "Score", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", title: "Verified", default: true },
        },
        required: [],
      }),
    );
    return `Elicitation completed: ${inWords(outcome)}`;
  },
});

const enums = tool({
  name: "test_elicitation_sep1330_enums",
  description: "Asks for a choice with each of the five enum schemas",
  needs: ["form"],
  async *run() {
    const outcome = yield* ask.outcome(
      ask.form("Please choose", {
        type: "object",
        properties: {
          untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
          titledSingle: {
            type: "string",
            oneOf: [
              { const: "value1", title: "First Option" },
              { const: "value2", title: "Second Option" },
              { const: "value3", title: "Third Option" },
            ],
          },
          legacyEnum: {
            type: "string",
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: {
            type: "array",
            items: { type: "string", enum: ["option1", "option2", "option3"] },
          },
          titledMulti: {
            type: "array",
            items: {
              anyOf: [
                { const: "value1", title: "First Choice" },
                { const: "value2", title: "Second Choice" },
                { const: "value3", title: "Third Choice" },
              ],
            },
          },
        },
        required: [],
      }),
    );
    return `Elicitation completed: ${inWords(outcome)}`;
  },
});

function inWords({ action, value }: Outcome<unknown>): string {
  return `action=${action}, content=${JSON.stringify(value ?? {})}`;
}

export const askingTools = [sampling, elicitation, defaults, enums];
