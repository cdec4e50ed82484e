/** `photon serve`: serves tools to MCP clients. */
import { resolve } from "node:path";
import { command, type Command } from "../command.ts";
import { commonFlags } from "../flags/common-flags.ts";
import type { Given } from "../flags/read-flags.ts";
import { stdioPrincipal } from "../serve/auth-options.ts";
import { printConfig } from "../serve/client-config.ts";
import { serveTools, type ServeOptions } from "../serve/serve.ts";
import { absoluteStore } from "../serve/store.ts";
import { parseTransports } from "../serve/transports.ts";
import { UsageError } from "../errors.ts";
import { accessFlags } from "./access-flags.ts";
import { limitFlags } from "./limit-flags.ts";
import { serveOnlyFlags, servingFlags, storeFlags, transportFlags } from "./serve-flags.ts";
import { servingOptions } from "./serving-options.ts";

const flags = {
  ...transportFlags,
  ...servingFlags,
  ...storeFlags,
  ...accessFlags,
  ...serveOnlyFlags,
  ...limitFlags,
  ...commonFlags,
};

export const serve: Command = command({
  name: "photon serve",
  usage: "[paths…]",
  description: `Serves tools to MCP clients. Paths are files or folders; a bare name "web" finds web.photon.ts, web.ts
or tools/web.ts. Without any: *.photon.{ts,js} and tools/ here.`,
  flags,
  examples: [
    "photon serve",
    "photon serve web --transport=websocket",
    "photon serve tools/ --transport=stdio,http --port 3001 --watch",
    "photon serve web --print-config",
  ],
  async run({ values, words, typed }, io) {
    const transports = parseTransports(values.transport);
    const useless = FOR_AN_ADDRESS.find((name) => typed.has(name));
    if (transports.http.length === 0 && useless !== undefined)
      throw new UsageError(`--${useless} is for sse, http and websocket; add --transport=http.`);
    const kept = flagsToKeep({ values, typed }, io.cwd);
    const serving = servingOptions(values, words, transports);
    const principal = stdioPrincipal(values.principal, serving);
    const options: ServeOptions = {
      ...serving,
      principal,
      playground: values.playground,
      watch: values.watch,
      kept,
    };
    return values["print-config"] ? printConfig(options, io) : serveTools(options, io);
  },
});

const FOR_AN_ADDRESS = ["port", "host", "auth-token", "no-auth", "public-url", "playground"] as const;

const NOT_KEPT: ReadonlySet<string> = new Set([
  ...FOR_AN_ADDRESS,
  "transport",
  "watch",
  "print-config",
  "name",
]);

/** The flags that a client which starts the server by itself, wherever that is, has to give it as well. */
function flagsToKeep(
  { values, typed }: Pick<Given<typeof flags>, "values" | "typed">,
  cwd: string,
): readonly string[] {
  return [...typed]
    .filter((name) => !NOT_KEPT.has(name))
    .map((name) => {
      if (values[name] === true) return `--${name}`;
      const text = String(values[name]);
      if (name === "store") return `--${name}=${absoluteStore(text, cwd)}`;
      return `--${name}=${name === "audit" ? resolve(cwd, text) : text}`;
    });
}
