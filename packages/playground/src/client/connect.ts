/** Opens a connection as the settings say: which revision, and which way. */
import type { Settings } from "../desk/connection.ts";
import type { Channel, Ear } from "../wire/channel.ts";
import { openExchangeChannel } from "../wire/exchange-channel.ts";
import { openSessionChannel } from "../wire/session-channel.ts";
import { openSocketChannel } from "../wire/socket-channel.ts";
import type { Surroundings } from "../wire/surroundings.ts";
import type { WireLog } from "../wire/wire-log.ts";
import type { ClientEar } from "./client-ear.ts";
import type { Client } from "./client.ts";
import { Line } from "./line.ts";
import { openModern } from "./modern-client.ts";
import { openSession } from "./session-client.ts";

export function connect(
  url: URL,
  settings: Settings,
  log: WireLog,
  surroundings: Surroundings,
  ear: ClientEar,
): Client {
  const line = new Line(log);
  const { client, hears } =
    settings.revision === "2026-07-28" ? openModern(line, ear) : openSession(line, ear);
  line.open(hears, (heard) => channelFor(url, settings, heard, surroundings));
  return client;
}

function channelFor(
  url: URL,
  { revision, way, token }: Settings,
  ear: Ear,
  surroundings: Surroundings,
): Channel {
  if (way === "websocket") return openSocketChannel(url, ear, surroundings);
  const address = { url, token };
  return revision === "2026-07-28"
    ? openExchangeChannel(address, revision, ear, surroundings)
    : openSessionChannel(address, revision, ear, surroundings);
}
