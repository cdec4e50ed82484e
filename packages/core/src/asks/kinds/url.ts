/** `ask.url`: something to do at a web address. Its answer has no value. */
import type { Answers, UrlAsk } from "../../ask-types.ts";
import type { AskKindDescriptor, Options } from "../ask-kind.ts";
import { makeAsk } from "../make-ask.ts";
import type { Yieldable } from "../yieldable.ts";

/** What a browser needs: a scheme, a complete host, no blanks. */
const ADDRESS = /^https?:\/\/(?:[^\s/?#[\]@]+@)?(?:[^\s/?#[\]@]+|\[[0-9a-f:.]+\](?::\d+)?)(?:[/?#]\S*)?$/i;

export const urlKind: AskKindDescriptor<UrlAsk> = {
  kind: "url",
  options: { url: true },
  checkOptions: ({ url: address }) =>
    typeof address === "string" && ADDRESS.test(address)
      ? undefined
      : `${JSON.stringify(address)} is no http or https address`,
  answerSchema: () => ({}),
  checkAnswer: () => ({ value: undefined }),
};

export function url(
  message: string,
  address: string,
  options: Options<UrlAsk> = {},
): Yieldable<UrlAsk, Answers["url"]> {
  return makeAsk(urlKind, message, { ...options, url: address });
}
