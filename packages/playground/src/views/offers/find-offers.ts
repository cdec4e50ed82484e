import type { Offer } from "../../desk/offer.ts";

/** The offers that have every word of a search in their name, title or description; those with it in the name first. */
export function findOffers(offers: readonly Offer[], search: string): readonly Offer[] {
  const words = search.toLowerCase().split(/\s+/u).filter(Boolean);
  const named = (offer: Offer): string => `${offer.name} ${offer.title ?? ""}`.toLowerCase();
  const hasAll = (text: string): boolean => words.every((word) => text.includes(word));
  const isNamed = (offer: Offer): boolean => hasAll(named(offer));
  const isDescribed = (offer: Offer): boolean =>
    hasAll(`${named(offer)} ${(offer.description ?? "").toLowerCase()}`);
  return [...offers.filter(isNamed), ...offers.filter((offer) => !isNamed(offer) && isDescribed(offer))];
}
