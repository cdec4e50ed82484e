/** Clients of the SDK that are connected, and are closed when the test finishes. */
import { onTestFinished } from "vitest";
import { inMemory, type Connection, type TransportV1, type TransportV2 } from "./connections.ts";
import type { SdkClientOptions } from "./sdk-client.ts";
import { SdkV1Client } from "./sdk-v1-client.ts";
import { SdkV2Client } from "./sdk-v2-client.ts";

export async function connectV1(
  connection: Connection<TransportV1>,
  options?: SdkClientOptions,
): Promise<SdkV1Client> {
  const client = new SdkV1Client(connection, options);
  onTestFinished(() => client.close());
  await client.connect();
  return client;
}

export async function connectV2(
  connection: Connection<TransportV2>,
  options?: SdkClientOptions,
): Promise<SdkV2Client> {
  const client = new SdkV2Client(connection, options);
  onTestFinished(() => client.close());
  await client.connect();
  return client;
}

/** A client of version 1 of a server in this process. */
export async function connectInMemory(
  server: Parameters<typeof inMemory>[0],
  options?: SdkClientOptions,
): Promise<SdkV1Client> {
  return connectV1(await inMemory(server), options);
}
