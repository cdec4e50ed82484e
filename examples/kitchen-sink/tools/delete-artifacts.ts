import { ask, tool } from "@photon/core";
import { listShelf, removeFromShelf } from "../studio/shelf.ts";

/** A dangerous action: only after the user's yes, and refused for a client that cannot ask. */
export const deleteArtifacts = tool({
  name: "delete_artifacts",
  title: "Delete artifacts",
  description: "Asks which files to delete, and asks for confirmation; without a yes it deletes nothing",
  annotations: { destructiveHint: true },
  // Checked before the tool runs: a call from a client without forms is refused.
  needs: ["form"],
  async *run() {
    const names = yield* ask.multiselect("Which files should be deleted?", await listShelf(), {
      id: "names",
      min: 1,
    });
    const list = names.join(", ");
    if (!(yield* ask.confirm(`Delete ${list}? This cannot be undone.`, { id: "sure", dangerous: true })))
      return { deleted: [], kept: names };
    for (const name of names) await removeFromShelf(name);
    return { deleted: names, kept: [] };
  },
});
