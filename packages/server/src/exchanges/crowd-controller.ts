import { setMaxListeners } from "node:events";

/** One whose signal any number may listen to. */
export function crowdController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
