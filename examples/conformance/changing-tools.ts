/** Tools that change the server's lists of tools and prompts while it runs. */
import { prompt, tool, type Prompt, type Tool } from "@photon/core";

const extraTool = tool({
  name: "test_extra_tool",
  description: "Added and removed by test_trigger_tool_change",
  async *run() {
    return "The extra tool.";
  },
});

const extraPrompt = prompt({
  name: "test_extra_prompt",
  description: "Added and removed by test_trigger_prompt_change",
  async *run() {
    return "The extra prompt.";
  },
});

/** Each sets the server's list to the usual entries and these. */
interface SetLists {
  tools(extra: readonly Tool<never>[]): void;
  prompts(extra: readonly Prompt<never>[]): void;
}

export function changingTools(setLists: SetLists): readonly Tool<never>[] {
  let hasTool = false;
  let hasPrompt = false;
  return [
    tool({
      name: "test_trigger_tool_change",
      description: "Adds a tool, or removes it again",
      async *run() {
        hasTool = !hasTool;
        setLists.tools(hasTool ? [extraTool] : []);
        return hasTool ? "The tool was added." : "The tool was removed.";
      },
    }),
    tool({
      name: "test_trigger_prompt_change",
      description: "Adds a prompt, or removes it again",
      async *run() {
        hasPrompt = !hasPrompt;
        setLists.prompts(hasPrompt ? [extraPrompt] : []);
        return hasPrompt ? "The prompt was added." : "The prompt was removed.";
      },
    }),
  ];
}
