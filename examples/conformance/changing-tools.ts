/** Tools that change what the server offers, while it is in use. */
import { prompt, tool, type Prompt, type Tool } from "@photon/core";

const extraTool = tool({
  name: "test_extra_tool",
  description: "Is there, and then it is not",
  async *run() {
    return "Here, for now.";
  },
});

const extraPrompt = prompt({
  name: "test_extra_prompt",
  description: "Is there, and then it is not",
  async *run() {
    return "Here, for now.";
  },
});

/** What puts a list in place that has these beside what is always there. */
interface Offer {
  tools(extra: readonly Tool<never>[]): void;
  prompts(extra: readonly Prompt<never>[]): void;
}

export function changingTools(offer: Offer): readonly Tool<never>[] {
  let hasTool = false;
  let hasPrompt = false;
  return [
    tool({
      name: "test_trigger_tool_change",
      description: "Offers one tool more, or takes it back",
      async *run() {
        hasTool = !hasTool;
        offer.tools(hasTool ? [extraTool] : []);
        return hasTool ? "There is one more tool." : "It is gone again.";
      },
    }),
    tool({
      name: "test_trigger_prompt_change",
      description: "Offers one prompt more, or takes it back",
      async *run() {
        hasPrompt = !hasPrompt;
        offer.prompts(hasPrompt ? [extraPrompt] : []);
        return hasPrompt ? "There is one more prompt." : "It is gone again.";
      },
    }),
  ];
}
