/** A desk on what a browser has. */
import type { Desk } from "./desk.ts";
import { openDesk } from "./open-desk.ts";

/** The server is the one that this page came from. */
export function openDeskHere(): Desk {
  const desk = openDesk({
    address: new URL("mcp", document.baseURI),
    fetch: (address, init) => fetch(address, init),
    openSocket: (address, protocol) => new WebSocket(address, protocol),
    storage: sessionStorage,
    clock: {
      now: () => Date.now(),
      after(milliseconds, callback) {
        // Longer than a timer can wait is as good as never: a page does not live that long.
        const timer = setTimeout(callback, Math.min(milliseconds, 2 ** 31 - 1));
        return () => clearTimeout(timer);
      },
    },
    onFrame: (callback) => void requestAnimationFrame(callback),
  });
  const lookAround = (): void => desk.seen(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", lookAround);
  lookAround();
  // Sessions over HTTP do not end by themselves when a page goes.
  addEventListener("pagehide", () => desk.leave());
  // One that the browser had put aside has left, and begins anew with what it kept.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload();
  });
  return desk;
}
