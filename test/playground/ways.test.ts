/** The same questions over the other ways in which the page can speak to the server. */
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { assertPlayed, assertScene } from "./play.ts";
import { secret } from "./page-scenes.ts";
import { dangerous, numberOnSlider } from "./scenes.ts";
import { kitchenSink } from "./stage.ts";

const playground = usePlayground();

describe.each([
  { revision: "2026-07-28", way: "Streamable HTTP", title: "tools/call", says: '"input_required"' },
  { revision: "2025-11-25", way: "WebSocket", title: "elicitation/create", says: '"requestedSchema"' },
  { revision: "2025-11-25", way: "Streamable HTTP", title: "elicitation/create", says: '"requestedSchema"' },
])("in $revision over $way, the playground", ({ revision, way, title, says }) => {
  it(
    verifies(
      "D3",
      "asks for a number, which may be declined and cancelled, for a yes to what is dangerous, and for a secret on its page",
    ),
    async () => {
      const { url, studio } = await kitchenSink();
      const person = new Person(await playground.visit(url));
      await person.speak(revision, way);

      await assertScene(numberOnSlider, person, studio);
      await assertPlayed(dangerous, person, studio);
      await assertPlayed(secret, person, studio);
    },
  );

  it("shows on the wire what this revision asks by", async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url));
    await person.speak(revision, way);
    await person.choose("Set the tempo");
    await person.runIt();
    await person.asked(/^How fast/);
    await person.press("Later");

    const message = person.wire.getByRole("listitem").filter({ hasText: title }).last();
    await message.getByText(title).click();

    expect(await message.getByText(says).innerText()).toContain("How fast is it, in beats a minute?");
  });
});
