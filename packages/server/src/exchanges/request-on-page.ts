import type { Client } from "@photon/core";
import { type InputRequest, inputRequestFor, type Unsupported } from "../protocol/input-requests.ts";
import type { Features } from "../protocol/revisions.ts";
import { PageRefused, type OpenAsk } from "../pages/page.ts";
import type { RunPages } from "../pages/run-pages.ts";

/** What sends a person to the page of a question; why there can be none, otherwise. */
export async function requestOnPage(
  pages: RunPages,
  question: OpenAsk,
  can: Client["can"],
  features: Features,
): Promise<InputRequest | Unsupported> {
  try {
    const { url } = await pages.of(question);
    return inputRequestFor(question, can, features, question.key, url);
  } catch (error) {
    if (error instanceof PageRefused) return { unsupported: error.reason };
    throw error;
  }
}
