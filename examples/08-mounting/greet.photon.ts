import { ask, tool } from "@photon/core";

export const greet = tool({
  name: "greet",
  description: "Greets the user by name",
  async *run() {
    return `Hello, ${yield* ask.text("Who are you?", { minLength: 1 })}!`;
  },
});
