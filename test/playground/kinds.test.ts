/** Every kind of question, as a person meets it on the page. */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { isWhole } from "../long.ts";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { assertPlayed, assertScene } from "./play.ts";
import { scenes, words } from "./scenes.ts";
import { kitchenSink, stage } from "./stage.ts";

const playground = usePlayground();

// The label's own page, which a person goes to by a click.
const mayComplain = /http:\/\/127\.0\.0\.1:\d+\/(authorize\?|favicon\.ico)/;

describe("the playground asks for", () => {
  it.each(scenes.map((scene, turn) => [scene.kind, scene, turn] as const))(
    verifies("D3", "%s; it is answered, and declined or cancelled"),
    async (_, scene, turn) => {
      const { url, studio } = await kitchenSink();
      const person = new Person(await playground.visit(url, { timezoneId: "Europe/Berlin", mayComplain }));

      await assertScene(scene, person, studio, isWhole ? undefined : turn);
    },
  );

  it(verifies("D3", "a secret; it is declined on its page"), async () => {
    const { url, studio } = await kitchenSink();
    const person = new Person(await playground.visit(url));
    await person.follow("connect_shop", { shop: "needle" });
    await person.runIt();
    await person.asked(/API key/);
    const page = await person.openPage();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Decline" }).click();
    await page.getByRole("heading", { name: "You declined" }).waitFor();
    await page.close();

    expect((await person.ending()).says).toContain("The person declined to answer");
    // What is known here is that the page was opened.
    const timeline = person.run.getByRole("listitem");
    expect(await timeline.filter({ hasText: "Opened the page" }).count()).toBe(1);
    expect(await timeline.filter({ hasText: "Answered" }).count()).toBe(0);
    expect(await studio.changes()).toEqual({});
  });

  it(verifies(["D3", "A10"], "words in the place of a model's"), async () => {
    const { url, studio } = await kitchenSink();
    const person = new Person(await playground.visit(url));

    await assertPlayed(words, person, studio);
  });

  it(verifies("D3", "one of many, and several of many, which are found by a search"), async () => {
    const towns = Array.from({ length: 40 }, (_, index) => `Town ${index + 1}`);
    const travel = tool({
      name: "travel",
      async *run() {
        const from = yield* ask.select("From where?", towns, { id: "from" });
        const over = yield* ask.multiselect("Over which?", towns, { id: "over", min: 2, max: 2 });
        return `From ${from} over ${over.join(" and ")}.`;
      },
    });
    const { url } = await stage({ tools: [travel] });
    const person = new Person(await playground.visit(url, { place: "#tool/travel" }));
    await person.runIt();
    const from = await person.asked("From where?");
    await from.getByRole("searchbox").fill("town 3");
    await from.getByText("11 of 40").waitFor();
    await from.getByRole("radio", { name: "Town 33", exact: true }).check();
    await person.press("Accept");

    const over = await person.asked("Over which?");
    await over.getByRole("searchbox").fill("7");
    await over.getByRole("checkbox", { name: "Town 17" }).check();
    await person.press("Accept");
    await over.getByText("Choose at least 2.").waitFor();
    await over.getByRole("searchbox").fill("8");
    await over.getByRole("checkbox", { name: "Town 8", exact: true }).check();
    await over.getByText("2 chosen; choose 2").waitFor();
    await person.press("Accept");

    expect((await person.ending()).says).toContain("From Town 33 over Town 8 and Town 17.");
  });
});
