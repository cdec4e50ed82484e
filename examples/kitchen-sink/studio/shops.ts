/**
 * The record shops: a stand-in for the API of each shop.
 *
 * A shop is offline until the first delivery, which fails and brings it online: so the tool has an error to retry.
 * Deliveries with the same idempotency key are one delivery.
 */
import { jsonFile } from "./json-file.ts";

export const SHOPS = { bandstand: "Bandstand", needle: "The Needle", wavehouse: "Wavehouse" } as const;

export type Shop = keyof typeof SHOPS;

interface ShopState {
  readonly isOnline: boolean;
  /** Title of the release, by idempotency key. */
  readonly deliveries: Readonly<Record<string, string>>;
}

const shops = jsonFile<Readonly<Partial<Record<Shop, ShopState>>>>("shops.json", {});

/** Delivers a release, and returns the receipt. */
export async function deliver(shop: Shop, release: string, key: string): Promise<string> {
  let wasOnline = false;
  await shops.update((all) => {
    const { isOnline = false, deliveries = {} } = all[shop] ?? {};
    wasOnline = isOnline;
    return {
      ...all,
      [shop]: { isOnline: true, deliveries: isOnline ? { ...deliveries, [key]: release } : deliveries },
    };
  });
  if (!wasOnline) throw new Error(`${SHOPS[shop]} is offline.`);
  return receiptFor(shop, release);
}

/** For a delivery with an unknown outcome: returns its receipt if it arrived, else delivers it. */
export async function deliverIfMissing(shop: Shop, release: string, key: string): Promise<string> {
  const delivered = (await shops.read())[shop]?.deliveries[key];
  return delivered === undefined ? deliver(shop, release, key) : receiptFor(shop, delivered);
}

const receiptFor = (shop: Shop, release: string): string => `${SHOPS[shop]} has ${release}`;
