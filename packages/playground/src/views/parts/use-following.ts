import { useLayoutEffect, useRef } from "preact/hooks";

/** How far from the end still counts as being there, in pixels. */
const NEAR = 80;

/** Keeps the end of a list in sight while it grows, for those who had it in sight. `scrolls` names the box around it. */
export function useFollowing(length: number, scrolls: string): { readonly current: HTMLDivElement | null } {
  const end = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const box = end.current?.closest(scrolls);
    if (box === null || box === undefined) return undefined;
    let before = box.scrollTop;
    const look = (): void => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
      // The end also goes away by itself, when what is drawn is taller than was thought; somebody goes away upwards.
      if (isNear) follows.current = true;
      else if (box.scrollTop < before) follows.current = false;
      before = box.scrollTop;
    };
    box.addEventListener("scroll", look, { passive: true });
    return () => box.removeEventListener("scroll", look);
  }, [scrolls]);
  useLayoutEffect(() => {
    const box = end.current?.closest(scrolls);
    if (box === null || box === undefined) return undefined;
    const go = (): void => {
      if (follows.current) box.scrollTop = box.scrollHeight;
    };
    go();
    // Once more when what is there now has its real height.
    let frame = requestAnimationFrame(() => {
      go();
      frame = requestAnimationFrame(go);
    });
    return () => cancelAnimationFrame(frame);
  }, [length, scrolls]);
  return end;
}
