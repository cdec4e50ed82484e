import type { Emit } from "@photon/core";

interface Told {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/**
 * What a server's progress says: how far it is, or what it does.
 *
 * Servers that only have words to tell must make up a figure that increases. One that stays where it was by less than
 * can be seen is no news, and its words are.
 */
export class ProgressReader {
  #figure = 0;

  read({ progress, total, message = "" }: Told): Emit {
    const share = total === undefined || total <= 0 ? undefined : Math.min(Math.max(progress / total, 0), 1);
    const figure = share === undefined ? this.#figure : Math.floor(share * 1000);
    const isNews = figure !== this.#figure;
    this.#figure = figure;
    if (share === undefined || (message !== "" && !isNews))
      return { emit: "status", message: message === "" ? `Working (${progress})` : message };
    return { emit: "progress", value: share, ...(message === "" ? {} : { message }) };
  }
}
