import { effect } from "@preact/signals";
import { chosenOffer, type Stage } from "./stage.ts";
import { clip } from "./parts/clip.ts";
import { wantedOf } from "./wanted.ts";

/** The tab's title says that somebody is wanted, and else what is looked at. */
export function keepTitle(stage: Stage): void {
  effect(() => {
    const count = wantedOf(stage).length;
    const offer = chosenOffer(stage);
    const name = offer === undefined ? "" : `${clip(offer.title ?? offer.name, 60)} · `;
    document.title = count > 0 ? `(${count}) Wanted · Photon` : `${name}Photon`;
  });
}
