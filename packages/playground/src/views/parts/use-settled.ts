/**
 * Whether an element has been seen at one place for half a second. A click that comes sooner was under way before the
 * element was there, and was meant for something else.
 */
import { useLayoutEffect, useMemo, useState } from "preact/hooks";

const SETTLE_MS = 500;

export interface Settled {
  readonly isSettled: boolean;
  /** For every press of it: whether it has settled. Where it has not, the half second begins anew. */
  readonly press: () => boolean;
}

export function useSettled(element: { readonly current: Element | null }): Settled {
  const place = useMemo(() => new Place(), []);
  const [isSettled, setSettled] = useState(false);
  useLayoutEffect(() => {
    let frame = 0;
    const look = (): void => {
      setSettled(place.isSettled(element.current));
      frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, []);
  const press = (): boolean => {
    const canPress = place.isSettled(element.current);
    if (!canPress) place.leave();
    return canPress;
  };
  return { isSettled, press };
}

/** Where an element is, and since when. */
class Place {
  #at = "";
  #since = 0;
  #looked = 0;

  isSettled(element: Element | null): boolean {
    const now = performance.now();
    const at = JSON.stringify(element?.getBoundingClientRect());
    // A page that is hidden draws no frames: it was not seen since the last look.
    if (at !== this.#at || now - this.#looked > SETTLE_MS) this.#since = now;
    this.#at = at;
    this.#looked = now;
    return now - this.#since >= SETTLE_MS;
  }

  leave(): void {
    this.#since = performance.now();
  }
}
