/** `sampling/createMessage` and `roots/list`, and what comes back. Pure. */
import type { Content, Reply, Sample } from "@photon/core";
import { present } from "../present.ts";
import type { Params, Wire } from "../rpc/message.ts";
import { blockOf } from "./content.ts";
import type { Features } from "./revisions.ts";

export function samplingFor(sample: Sample, features: Features): Params {
  const { messages, maxTokens, systemPrompt, temperature, stopSequences, modelPreferences } = sample;
  const blocks = messages.map(({ role, content }) => ({
    role,
    content: isOne(content) ? blockOf(content, features) : content.map((one) => blockOf(one, features)),
  }));
  return present({
    messages: blocks,
    maxTokens,
    systemPrompt,
    temperature,
    stopSequences,
    modelPreferences,
  });
}

/** What the model said; whether it is a message is checked by core. */
export const sampleReply = (result: Wire): Reply => ({
  action: "accept",
  value: { ...result },
});

export const rootsReply = (result: Wire): Reply => ({
  action: "accept",
  value: result["roots"],
});

const isOne = (content: Content | readonly Content[]): content is Content => !Array.isArray(content);
