/** A server with tools of the test's own, and tabs that are closed when the test is over. */
import { createServer, type ListenOptions, type PhotonServer, type ServerOptions } from "@photon/server";
import { onTestFinished } from "vitest";
import type { Settings } from "../src/desk/connection.ts";
import type { Surroundings } from "../src/wire/surroundings.ts";
import { Tab } from "./tab.ts";

export interface Stage {
  readonly server: PhotonServer;
  readonly url: string;
  readonly port: number;
  readonly open: (settings?: Partial<Settings>, around?: Partial<Surroundings>, at?: string) => Tab;
}

export async function stage(
  options: ServerOptions,
  port = 0,
  listen: Pick<ListenOptions, "transports"> = {},
): Promise<Stage> {
  const server = createServer({ name: "stage", version: "1.0.0", report: () => {}, ...options });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port, ...listen });
  return {
    server,
    url,
    port: Number(new URL(url).port),
    open: (settings, around, at = url) => {
      const tab = new Tab(at, settings, around);
      onTestFinished(() => tab.close());
      return tab;
    },
  };
}
