/** `sampling/createMessage` and `roots/list`, and what comes back. Pure. */
import type { Content, Reply, Sample } from "@photon/core";
import type { Params } from "../rpc/message.ts";
import { blockOf } from "./content.ts";
import type { Features } from "./revisions.ts";

export function samplingFor(sample: Sample, features: Features): Params {
  const { messages, maxTokens, systemPrompt, temperature, stopSequences, modelPreferences } = sample;
  const blocks = messages.map(({ role, content }) => ({
    role,
    content: isOne(content) ? blockOf(content, features) : content.map((one) => blockOf(one, features)),
  }));
  const optional = { systemPrompt, temperature, stopSequences, modelPreferences };
  return {
    messages: blocks,
    maxTokens,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

/** What the model said; whether it is a message is checked by core. */
export const sampleReply = (result: { readonly [field: string]: unknown }): Reply => ({
  action: "accept",
  value: { ...result },
});

export const rootsReply = (result: { readonly [field: string]: unknown }): Reply => ({
  action: "accept",
  value: result["roots"],
});

const isOne = (content: Content | readonly Content[]): content is Content => !Array.isArray(content);
