/** `sampling/createMessage` and `roots/list`, and what comes back. Pure. */
import type { Content, Reply, Sample } from "@photon/core";
import { present } from "../util/omit-undefined.ts";
import { isRecord, type Params, type Wire } from "../jsonrpc/messages.ts";
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

/** What the model said, or what is wrong with the shape of it; whether it can be used is checked by core. */
export function sampleReply(result: Wire): Verdict {
  const { role, model, content } = result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (role !== "user" && role !== "assistant") return { problem: "its role is user or assistant" };
  if (typeof model !== "string") return { problem: "its model is a text" };
  if (blocks.length === 0 || !blocks.every((one) => isRecord(one) && typeof one["type"] === "string"))
    return { problem: "its content is a block of content, or a list of them" };
  return { value: { action: "accept", value: { ...result } } };
}

export function rootsReply({ roots }: Wire): Verdict {
  return Array.isArray(roots) && roots.every((root) => isRecord(root) && typeof root["uri"] === "string")
    ? { value: { action: "accept", value: roots } }
    : { problem: "its roots are a list, each with a uri" };
}

type Verdict = { readonly value: Reply } | { readonly problem: string };

const isOne = (content: Content | readonly Content[]): content is Content => !Array.isArray(content);
