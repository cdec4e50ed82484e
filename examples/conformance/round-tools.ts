/**
 * Tools for the rounds of 2026-07-28, where a client answers a question by retrying the call with the answer. The tools
 * are ordinary: they ask, and continue with the answer.
 */
import { ask, roots, sample, tool } from "@photon/core";
import { textIn } from "./text-in.ts";

const askName = ask.form("What is your name?", { name: ask.text("Name") }, { id: "user_name" });
const sampleGreeting = sample("Generate a greeting", { maxTokens: 50 });

const elicitation = tool({
  name: "test_input_required_result_elicitation",
  description: "Asks for a name",
  needs: ["form"],
  async *run() {
    const { name } = yield* askName;
    return `Hello, ${name}!`;
  },
});

const sampling = tool({
  name: "test_input_required_result_sampling",
  description: "Asks the client's model",
  needs: ["sample"],
  async *run() {
    const { content } = yield* sample("What is the capital of France?", {
      id: "capital_question",
      maxTokens: 100,
    });
    return textIn(content);
  },
});

const listRoots = tool({
  name: "test_input_required_result_list_roots",
  description: "Asks for the folders that the client works in",
  needs: ["roots"],
  async *run() {
    const folders = yield* roots({ id: "client_roots" });
    return folders.map(({ uri, name = uri }) => `${name}: ${uri}`).join("\n");
  },
});

const requestState = tool({
  name: "test_input_required_result_request_state",
  description: "Asks for a confirmation; the client returns the request state with the answer",
  needs: ["form"],
  async *run() {
    const { ok } = yield* ask.form("Please confirm", { ok: ask.confirm("OK") }, { id: "confirm" });
    // The server rejects a retry with any other state, so that this line is not reached.
    return ok ? "state-ok" : "Not confirmed.";
  },
});

const multipleInputs = tool({
  name: "test_input_required_result_multiple_inputs",
  description: "Asks for a form, a sample and the roots in one round",
  needs: ["form", "sample", "roots"],
  async *run() {
    const { user_name, greeting, client_roots } = yield* ask.all({
      user_name: askName,
      greeting: sampleGreeting,
      client_roots: roots(),
    });
    return `${user_name.name}: ${textIn(greeting.content)} (${client_roots.length} roots)`;
  },
});

const multiRound = tool({
  name: "test_input_required_result_multi_round",
  description: "Asks two questions, one after the other",
  needs: ["form"],
  async *run() {
    const { name } = yield* ask.form(
      "Step 1: What is your name?",
      { name: ask.text("Name") },
      { id: "step1" },
    );
    const { color } = yield* ask.form(
      "Step 2: What is your favorite color?",
      { color: ask.text("Color") },
      { id: "step2" },
    );
    return `${name} likes ${color}.`;
  },
});

const tamperedState = tool({
  name: "test_input_required_result_tampered_state",
  description: "Asks for a confirmation; the server rejects a request state that was changed",
  needs: ["form"],
  async *run() {
    const { ok } = yield* ask.form("Please confirm", { ok: ask.confirm("OK") }, { id: "confirm" });
    return ok ? "Confirmed." : "Not confirmed.";
  },
});

const capabilities = tool({
  name: "test_input_required_result_capabilities",
  description: "Asks the questions that the client supports",
  async *run(_, { client: { can } }) {
    const questions = {
      ...(can.form && { user_name: askName }),
      ...(can.sample && { greeting: sampleGreeting }),
      ...(can.roots && { client_roots: roots() }),
    };
    if (Object.keys(questions).length === 0) return "This client supports no questions.";
    const answers = yield* ask.all(questions);
    return `Answered: ${Object.keys(answers).join(", ")}.`;
  },
});

export const roundTools = [
  elicitation,
  sampling,
  listRoots,
  requestState,
  multipleInputs,
  multiRound,
  tamperedState,
  capabilities,
];
