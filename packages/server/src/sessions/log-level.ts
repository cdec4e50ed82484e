import { logLevels } from "@photon/core";

/** From which level on a client wants to hear of logs: `info`, until it says otherwise. */
export class LogLevel {
  #least = logLevels.indexOf("info");

  /** Changes it; says whether there is such a level. */
  set(level: unknown): boolean {
    const place = logLevels.findIndex((known) => known === level);
    if (place >= 0) this.#least = place;
    return place >= 0;
  }

  admits(level: string): boolean {
    return logLevels.findIndex((known) => known === level) >= this.#least;
  }
}
