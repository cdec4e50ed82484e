/** A model at a client that shows no questions: all it has is tools, and what they say. In both eras. */
import { expect } from "vitest";
import type { ServerOptions, PhotonServer } from "../../src/index.ts";
import { PAGE_WAIT_MS } from "../../src/pages/page.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp, overWebSocket } from "../../../../test/clients/carriers.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import { StatelessClient } from "../../../../test/clients/raw-client.ts";
import type { CountingClock } from "../wire/counting-clock.ts";

/** What a tool said. */
export interface Said {
  readonly text: string;
  readonly isError: boolean;
  readonly wire: Message;
}

export interface Model {
  readonly call: (name: string, input?: Fields) => Promise<Said>;
  readonly tools: () => Promise<readonly string[]>;
}

export interface Meeting {
  readonly server: PhotonServer;
  readonly url: string;
  /** Somebody at that server, with a client that can do so much. */
  readonly model: (can?: Fields) => Promise<Model>;
}

export async function onSession(url: string, can: Fields = {}): Promise<Model> {
  const client = await overWebSocket(url);
  await client.initialize("2025-11-25", can);
  return {
    call: async (name, input = {}) => saidIn(await client.callTool(name, input)),
    tools: async () => namesIn(await client.request("tools/list")),
  };
}

export async function alone(url: string, can: Fields = {}): Promise<Model> {
  const client = new StatelessClient(overStatelessHttp(url), can);
  return {
    call: async (name, input = {}) => saidIn((await client.call(name, input)).answer),
    tools: async () => namesIn((await client.request("tools/list")).answer),
  };
}

const meeting =
  (arrive: (url: string, can?: Fields) => Promise<Model>) =>
  async (options: ServerOptions): Promise<Meeting> => {
    const { server, url } = await listening(options);
    return { server, url, model: (can) => arrive(url, can) };
  };

/** Both eras. */
export const eras = { "2025-11-25": meeting(onSession), "2026-07-28": meeting(alone) };

/** The address of a page in what was said. */
export function linkIn({ text }: Said): string {
  const [link = ""] = /http\S+\/ask\/\S+/.exec(text) ?? [];
  expect(link).not.toBe("");
  return link;
}

/** The run in what was said. */
export function runIn({ text }: Said): string {
  const [, run = ""] = /"run":"([^"]+)"/.exec(text) ?? [];
  expect(run).not.toBe("");
  return run;
}

/** Settles once so many calls wait for somebody to answer on a page. */
export async function pageAwaited(clock: CountingClock, calls = 1): Promise<void> {
  await expect.poll(() => clock.runningFor(PAGE_WAIT_MS)).toBe(calls);
}

/** What was said in an answer. */
export function saidIn(wire: Message): Said {
  const content = (wire.result?.["content"] ?? []) as readonly { readonly text?: string }[];
  const text = content.map((block) => block.text ?? "").join("\n");
  return { text: wire.error?.message ?? text, isError: wire.result?.["isError"] === true, wire };
}

const namesIn = ({ result }: Message): readonly string[] =>
  ((result?.["tools"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
