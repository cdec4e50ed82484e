/** A server with the playground at `/`, on a free port, until the test is over. */
import {
  createServer,
  type Listening,
  type ListenOptions,
  type PhotonServer,
  type ServerOptions,
} from "@photon/server";
import { expect, onTestFinished } from "vitest";
import { prompts, resources, tools } from "../../examples/kitchen-sink/definitions.ts";
import { Studio } from "../kitchen-sink/studio.ts";

export interface Stage extends Pick<Listening, "url" | "port"> {
  readonly server: PhotonServer;
  /** Nobody gets in from then on; whatever waits inside goes on waiting. */
  readonly stopListening: () => Promise<void>;
}

/** With the tools that the test gives it. What goes wrong inside fails the test, unless that hears of it by `report`. */
export async function stage(options: ServerOptions = {}, listen: ListenOptions = {}): Promise<Stage> {
  const reported: unknown[] = [];
  const server = createServer({ report: (error) => void reported.push(error), ...options });
  onTestFinished(async () => {
    await server.close();
    expect(reported).toEqual([]);
  });
  const listening = await server.listen({ playground: true, ...listen });
  const { url, port } = listening;
  return { server, url, port, stopListening: () => listening.close() };
}

/** With the kitchen sink, whose studio is as good as new. */
export async function kitchenSink(options: ServerOptions = {}): Promise<Stage & { readonly studio: Studio }> {
  const studio = await Studio.open();
  onTestFinished(() => studio.close());
  await studio.tidy();
  // A test declines sooner than a person can read.
  const quick = { minReadingTime: "none" } as const;
  return {
    studio,
    ...(await stage({ name: "kitchen-sink", tools, prompts, resources, ...quick, ...options })),
  };
}
