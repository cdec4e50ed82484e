import { ask, tool } from "@photon/core";
import { listShelf, removeFromShelf } from "../studio/shelf.ts";

/** What cannot be undone: only after a yes of a person, and refused where no person can be asked. */
export const deleteArtifacts = tool({
  name: "delete_artifacts",
  title: "Delete artifacts",
  description:
    "Asks which files to throw away, and asks again before it does; without a yes everything stays",
  annotations: { destructiveHint: true },
  // Looked at before anything runs: a client that shows no forms is refused.
  needs: ["form"],
  async *run() {
    const names = yield* ask.multiselect("What shall be thrown away?", await listShelf(), {
      id: "names",
      min: 1,
    });
    const list = names.join(", ");
    if (!(yield* ask.confirm(`Throw away ${list}? It cannot be undone.`, { id: "sure", dangerous: true })))
      return { deleted: [], kept: names };
    for (const name of names) await removeFromShelf(name);
    return { deleted: names, kept: [] };
  },
});
