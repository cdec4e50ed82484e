/** Prompts: fixed, with arguments and completion, with a resource, with an image, with a question. */
import { ask, prompt } from "@photon/core";
import { redPixel } from "./media.ts";

const words = ["paris", "park", "party", "test-one", "test-two"];

/** The words that begin with the typed text. */
const completeWord = (typed: string): string[] => words.filter((word) => word.startsWith(typed));

const simple = prompt({
  name: "test_simple_prompt",
  description: "A prompt without arguments",
  async *run() {
    return "This is a simple prompt for testing.";
  },
});

const withArguments = prompt({
  name: "test_prompt_with_arguments",
  description: "A prompt with two arguments",
  arguments: {
    arg1: { description: "First test argument", required: true, complete: completeWord },
    arg2: { description: "Second test argument", required: true, complete: completeWord },
  },
  async *run({ arg1, arg2 }) {
    return `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`;
  },
});

const withResource = prompt({
  name: "test_prompt_with_embedded_resource",
  description: "A prompt with an embedded resource",
  arguments: { resourceUri: { description: "URI of the resource to embed", required: true } },
  async *run({ resourceUri }) {
    return [
      {
        role: "user",
        content: {
          type: "resource",
          uri: resourceUri,
          mimeType: "text/plain",
          text: "Embedded resource content for testing.",
        },
      },
      { role: "user", content: { type: "text", text: "Please process the embedded resource above." } },
    ];
  },
});

const withImage = prompt({
  name: "test_prompt_with_image",
  description: "A prompt with an image",
  async *run() {
    return [
      { role: "user", content: { type: "image", data: redPixel, mimeType: "image/png" } },
      { role: "user", content: { type: "text", text: "Please analyze the image above." } },
    ];
  },
});

const asking = prompt({
  name: "test_input_required_result_prompt",
  description: "A prompt that asks for its context",
  needs: ["form"],
  async *run() {
    const { context } = yield* ask.form(
      "What context should the prompt use?",
      { context: ask.text("Context") },
      { id: "user_context" },
    );
    return `Please answer in this context: ${context}`;
  },
});

export const prompts = [simple, withArguments, withResource, withImage, asking];
