/** Processes that share a store, with models at clients that show no questions; and durable tools, which they call. */
import { randomBytes } from "node:crypto";
import { ask, step, tool, type Tool } from "@photon/core";
import type { PhotonServer, ServerOptions, Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { listening } from "../wire/servers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { alone, onSession, type Model } from "./model.ts";

export const keys = [randomBytes(32).toString("base64")];

/** Asks, does something, and asks again. */
export function order(done: string[], more: { whenUnsupported?: "page" | "relay" } = {}): Tool<never> {
  return tool({
    name: "order",
    durable: true,
    ...more,
    async *run() {
      const what = yield* ask.text("What?", { id: "what" });
      yield* step("order", () => void done.push(what));
      const isPaid = yield* ask.confirm("Paid?", { id: "paid" });
      return `${what} ${isPaid ? "paid" : "open"}`;
    },
  });
}

/** Asks something, for a secret, and something else. */
export const mixed = tool({
  name: "mixed",
  durable: true,
  async *run() {
    const name = yield* ask.text("Name?");
    const password = yield* ask.secret("Password?");
    const isSure = yield* ask.confirm("Sure?");
    return `${name} ${password.reveal().length} ${isSure}`;
  },
});

/** Asks for a secret, and for something else. */
export const login = tool({
  name: "login",
  durable: true,
  async *run() {
    const password = yield* ask.secret("Password?");
    const name = yield* ask.text("Name?");
    yield* step("sign in", () => password.reveal().length);
    return `${name} ${password.reveal().length}`;
  },
});

export interface Process {
  readonly server: PhotonServer;
  readonly model: (can?: Fields) => Promise<Model>;
}

/** Processes that share a store, each with clients of one era. */
export const eras = { "2025-11-25": onSession, "2026-07-28": alone };

export async function process(
  arrive: (url: string, can?: Fields) => Promise<Model>,
  options: ServerOptions,
): Promise<Process> {
  const { server, url } = await listening({ keys, lease: "200ms", report() {}, ...options });
  return { server, model: (can) => arrive(url, can) };
}

export async function twoProcesses(
  arrive: (url: string, can?: Fields) => Promise<Model>,
  options: ServerOptions,
): Promise<{ readonly store: Store; readonly a: Process; readonly b: Process }> {
  const store = memoryStore();
  const [a, b] = [await process(arrive, { store, ...options }), await process(arrive, { store, ...options })];
  return { store, a, b };
}
