import type { commonFlags } from "../flags/common-flags.ts";
import type { Values } from "../flags/flag.ts";
import { pagesUnavailableReason, parseAuth, parsePublicUrl } from "../serve/auth-options.ts";
import type { ServeOptions } from "../serve/serve.ts";
import type { Transports } from "../serve/transports.ts";
import { UsageError } from "../errors.ts";
import type { accessFlags } from "./access-flags.ts";
import { limitsIn, type limitFlags } from "./limit-flags.ts";
import type { servingFlags, storeFlags } from "./serve-flags.ts";

type Serving = Values<
  typeof servingFlags & typeof storeFlags & typeof accessFlags & typeof limitFlags & typeof commonFlags
>;

/** What the flags say of serving, whichever command they were given to. */
export function servingOptions(
  values: Serving,
  paths: readonly string[],
  transports: Transports,
): Omit<ServeOptions, "watch" | "kept" | "playground"> {
  if (values.port > 65_535) throw new UsageError(`--port is at most 65535, not ${values.port}.`);
  const { name, port, host, idle, grace, verbose, distrust, audit, store } = values;
  const askTimeout = values["ask-timeout"];
  const url = values["public-url"];
  const reached = url === undefined ? undefined : parsePublicUrl(url);
  // A client at stdin is whoever started the server.
  const isReached = transports.http.length > 0;
  const auth = isReached ? parseAuth(host, values["auth-token"], values["no-auth"]) : { noAuth: false };
  const publicUrl = reached === undefined ? {} : { publicUrl: reached.publicUrl };
  const problem = isReached ? pagesUnavailableReason({ host, auth, settings: publicUrl }) : undefined;
  if (problem !== undefined && values["when-unsupported"] === "page")
    throw new UsageError(`${problem}: add --auth-token name:token, or leave out --when-unsupported=page.`);
  return {
    paths,
    name,
    port,
    host,
    transports,
    auth,
    packs: values.with,
    http: {
      allowedHosts: [...values["allow-host"], ...(reached === undefined ? [] : [reached.host])],
      allowedOrigins: values["allow-origin"],
    },
    settings: {
      limits: limitsIn(values),
      idle,
      maxWait: values["max-wait"],
      ...(askTimeout === undefined ? {} : { askTimeout }),
      grace,
      whenUnsupported: values["when-unsupported"],
      minReadingTime: values["min-reading-time"],
      distrust,
      ...publicUrl,
    },
    ...(audit === undefined ? {} : { audit }),
    ...(store === undefined ? {} : { store }),
    log: { level: values["log-level"], format: values["log-format"], verbose },
  };
}
