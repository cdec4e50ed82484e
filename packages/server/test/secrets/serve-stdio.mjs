import { ask, tool } from "@photon/core";
import { createServer } from "@photon/server";

const login = tool({
  name: "login",
  async *run() {
    return `${(yield* ask.secret("Password?")).reveal().length}`;
  },
});

await createServer({ tools: [login] }).stdio();
