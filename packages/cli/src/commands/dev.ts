/** `photon dev`: serves over every transport on one port, with the playground, and reloads on change. */
import { diagnoseEffects } from "@photon/core";
import { command, type Command } from "../command.ts";
import { serveTools } from "../serve/serve.ts";
import { httpTransports } from "../serve/transports.ts";
import { parseServing, servingFlags } from "./serve-flags.ts";

export const dev: Command = command({
  name: "photon dev",
  usage: ["photon dev [paths…] [flags]"],
  description: `Serves tools over HTTP, WebSocket and SSE on one port, with a page at / to try them, and reloads them when
they change. Paths are those of photon serve.`,
  flags: servingFlags,
  examples: ["photon dev", "photon dev web --port 4000"],
  async run({ values, positionals, rest }, io) {
    diagnoseEffects();
    const serving = parseServing(values, [...positionals, ...rest], { stdio: false, http: httpTransports });
    return serveTools({ ...serving, playground: true, watch: true, kept: [] }, io);
  },
});
