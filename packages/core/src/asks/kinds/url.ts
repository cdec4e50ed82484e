/** `ask.url`: something to do at a web address. Its answer has no value. */
import { type AskBase, type AskKindDescriptor, makeAsk, type Options } from "../ask-kind.ts";
import type { Yieldable } from "../yieldable.ts";

/** Asks the person to do something at a web address. */
export interface UrlAsk extends Omit<AskBase<"url", undefined>, "default"> {
  readonly url: string;
}

/** The addresses that a browser can open: a scheme, a complete host, no blanks. */
const ADDRESS = /^https?:\/\/(?:[^\s/?#[\]@]+@)?(?:[^\s/?#[\]@]+|\[[0-9a-f:.]+\](?::\d+)?)(?:[/?#]\S*)?$/i;

export const url: AskKindDescriptor<UrlAsk, void> & { readonly create: typeof create } = {
  kind: "url",
  create,
  options: { url: true },
  checkOptions: ({ url: address }) =>
    typeof address === "string" && ADDRESS.test(address)
      ? undefined
      : `${JSON.stringify(address)} is not an http or https address`,
  answerSchema: () => ({}),
  checkAnswer: () => ({ value: undefined }),
};

function create(message: string, address: string, options: Options<UrlAsk> = {}): Yieldable<UrlAsk, void> {
  return makeAsk(url, message, { ...options, url: address });
}
