/**
 * The record shops, as far as the studio has to do with them.
 *
 * A shop sleeps until somebody knocks: the first delivery ever is turned away, which is what makes a second try worth
 * asking for. What is delivered with the same key is one delivery, however often it is brought.
 */
import { paper } from "./documents.ts";

export const SHOPS = { bandstand: "Bandstand", needle: "The Needle", wavehouse: "Wavehouse" } as const;

export type Shop = keyof typeof SHOPS;

interface Desk {
  readonly isAwake: boolean;
  /** What was delivered, by its key. */
  readonly deliveries: Readonly<Record<string, string>>;
}

const desks = paper<Readonly<Partial<Record<Shop, Desk>>>>("shops.json", {});

/** Delivers a release; gives back the receipt. */
export async function deliver(shop: Shop, release: string, key: string): Promise<string> {
  let wasAwake = false;
  await desks.change((all) => {
    const { isAwake = false, deliveries = {} } = all[shop] ?? {};
    wasAwake = isAwake;
    return {
      ...all,
      [shop]: { isAwake: true, deliveries: isAwake ? { ...deliveries, [key]: release } : deliveries },
    };
  });
  if (!wasAwake) throw new Error(`${SHOPS[shop]} is asleep.`);
  return receiptFor(shop, release);
}

/** The receipt of a delivery of which nobody knows whether it arrived; delivers it if it did not. */
export async function deliverUnlessThere(shop: Shop, release: string, key: string): Promise<string> {
  const delivered = (await desks.read())[shop]?.deliveries[key];
  return delivered === undefined ? deliver(shop, release, key) : receiptFor(shop, delivered);
}

const receiptFor = (shop: Shop, release: string): string => `${SHOPS[shop]} has ${release}`;
