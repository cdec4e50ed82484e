/** What is sent to call an offer. Pure: the same offer with the same input is the same call, also after a reload. */
import type { Offer } from "../desk/offer.ts";
import type { Given } from "../desk/run.ts";
import type { Headers } from "../wire/channel.ts";
import { paramHeaders } from "../wire/headers.ts";
import type { Fields } from "../wire/record.ts";
import { expandTemplate } from "./expand-template.ts";

export interface Call {
  readonly method: string;
  readonly params: Fields;
  readonly headers: Headers;
  /** By which name the server logs for it. */
  readonly logger: string;
}

export function callOf(offer: Offer, given: Given): Call {
  const { name } = offer;
  switch (offer.kind) {
    case "tool": {
      const headers = paramHeaders(offer.inputSchema, given);
      return { method: "tools/call", params: { name, arguments: given }, headers, logger: name };
    }
    case "prompt":
      return { method: "prompts/get", params: { name, arguments: given }, headers: {}, logger: name };
    case "resource":
      return { method: "resources/read", params: { uri: offer.uri }, headers: {}, logger: name };
    case "template": {
      const uri = expandTemplate(offer.uriTemplate, given);
      return { method: "resources/read", params: { uri }, headers: {}, logger: name };
    }
    default:
      return offer satisfies never;
  }
}
