/** `photon dev`: serves over HTTP, WebSocket and SSE on one port, with the playground, and reloads on change. */
import { diagnoseEffects } from "@photon/core";
import { command, type Command } from "../command.ts";
import { serveTools } from "../serve/serve.ts";
import { httpTransports } from "../serve/transports.ts";
import { parseServeFlags, serveFlags } from "./serve-flags.ts";

export const dev: Command = command({
  name: "photon dev",
  usage: ["photon dev [paths…] [flags]"],
  description: `Serves tools over HTTP, WebSocket and SSE on one port, with a page at / to try them, and reloads them when
they change. Paths are those of photon serve.`,
  flags: serveFlags,
  examples: ["photon dev", "photon dev web --port 4000"],
  async run({ values, positionals, rest }, io) {
    diagnoseEffects();
    const serving = parseServeFlags(values, [...positionals, ...rest], {
      stdio: false,
      http: httpTransports,
    });
    return serveTools({ ...serving, playground: true, watch: true, clientFlags: [] }, io);
  },
});
