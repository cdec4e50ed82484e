/**
 * The page's own address, and links to it.
 *
 * A link chooses and fills in. It never calls: whoever was sent one presses Run, having seen what it says.
 */
import { effect } from "@preact/signals";
import { nameOf, type Offer } from "../desk/offer.ts";
import type { Given } from "../desk/run.ts";
import { hashOf, placeIn } from "./place.ts";
import { setInput, type Stage } from "./stage.ts";

export function linkTo(offer: Offer, given: Given): string {
  return new URL(hashOf(offer, given), location.href).href;
}

/** Goes where the address says, now and whenever it changes, and keeps it up with what is chosen. */
export function followAddress(stage: Stage): void {
  const go = (): void => {
    const place = placeIn(location.hash);
    if (place === undefined) return;
    if (place.given !== undefined) setInput(stage, place.offerName, place.given);
    stage.offerName.value = place.offerName;
    stage.pane.value = "call";
  };
  addEventListener("hashchange", go);
  go();
  effect(() => {
    const { offerName } = stage;
    const offer = stage.desk.offers.value.find((one) => nameOf(one) === offerName.value);
    // What a link filled in is in the form now; the address would go stale with the first change there.
    if (offer !== undefined && location.hash !== hashOf(offer)) history.replaceState(null, "", hashOf(offer));
  });
}
