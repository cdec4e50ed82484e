import { fileURLToPath } from "node:url";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { stdioV1, stdioV2 } from "../clients/stdio-connections.ts";
import type { ScenarioTransport } from "./transport.ts";

export const program: string = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));
const SESSIONS_LEFT = / sessions left$/;

/** Every client has a server process, which ends with the client. */
export const stdio: ScenarioTransport = {
  name: "stdio",
  onDisconnect: { session: "ends", stateless: "ends" },
  serve(revision, log, { whenUnsupported = "fail" } = {}) {
    const args = [program, revision, whenUnsupported];
    return Promise.resolve({
      createClient: (capabilities) =>
        revision === "2026-07-28"
          ? new SdkV2Client(stdioV2(args, { stderr: log }), { capabilities })
          : new SdkV1Client(stdioV1(args, { stderr: log }), { capabilities }),
      async sessions() {
        await log.until((line) => SESSIONS_LEFT.test(line));
        return Number.parseInt(log.all.findLast((line) => SESSIONS_LEFT.test(line)) ?? "", 10);
      },
      close: () => Promise.resolve(),
    });
  },
};
