/** Asks a server for everything it offers, page by page. */
import type { Offer } from "../desk/offer.ts";
import { isRecord } from "../is-record.ts";
import { textIn, type Fields } from "../wire/record.ts";
import type { Client } from "./client.ts";
import { LISTINGS } from "./listings.ts";

/** A server whose lists have no end is not listened to for ever. */
const MOST_PAGES = 100;

/**
 * Every list by itself, told as it comes: one that the server is slow with holds up no other. A list that cannot be had
 * is empty; one whose connection broke is not told.
 */
export async function listOffers(
  client: Client,
  capabilities: Fields,
  listed: (method: string, offers: readonly Offer[]) => void,
): Promise<void> {
  const listing = LISTINGS.map(async ({ capability, method, items, read }) => {
    const all = capability in capabilities ? await listAll(client, method, items) : [];
    const offers = all?.map((item) => (isRecord(item) ? read(item) : undefined));
    if (offers !== undefined)
      listed(
        method,
        offers.filter((offer) => offer !== undefined),
      );
  });
  await Promise.all(listing);
}

/** Nothing, where the connection broke meanwhile. */
async function listAll(
  client: Client,
  method: string,
  items: string,
): Promise<readonly unknown[] | undefined> {
  let all: readonly unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await client.request(method, cursor === undefined ? {} : { cursor });
    if (answer.kind === "broken") return undefined;
    if (answer.kind === "error") return all;
    const listed = answer.result[items];
    // Whatever is in it: each item is looked at by itself.
    if (Array.isArray(listed)) all = all.concat(listed as readonly unknown[]);
    const next = textIn(answer.result, "nextCursor");
    if (next === undefined || next === cursor) return all;
    cursor = next;
  }
  return all;
}
