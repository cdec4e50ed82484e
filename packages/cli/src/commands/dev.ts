/** `photon dev`: everything a person wants while they write tools. */
import { diagnoseEffects } from "@photon/core";
import { command, type Command } from "../command.ts";
import { commonFlags } from "../flags/common-flags.ts";
import { serveTools } from "../serve/serve.ts";
import { httpTransports } from "../serve/transports.ts";
import { accessFlags } from "./access-flags.ts";
import { limitFlags } from "./limit-flags.ts";
import { servingFlags, storeFlags } from "./serve-flags.ts";
import { servingOptions } from "./serving-options.ts";

export const dev: Command = command({
  name: "photon dev",
  usage: "[paths…]",
  description: `Serves tools over every transport that has a port, all on the same one, with a page at / to try
them on, and reloads them when they change.
Paths are those of photon serve.`,
  flags: { ...servingFlags, ...storeFlags, ...accessFlags, ...limitFlags, ...commonFlags },
  examples: ["photon dev", "photon dev web --port 4000"],
  async run({ values, words }, io) {
    diagnoseEffects();
    const serving = servingOptions(values, words, { stdio: false, http: httpTransports });
    return serveTools({ ...serving, playground: true, watch: true, kept: [] }, io);
  },
});
