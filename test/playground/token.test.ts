/** A server that wants to know who is there. */
import { ask, tool } from "@photon/core";
import { expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

const TOKEN = "a-token-of-thirty-two-letters-or-more";

const greeter = tool({
  name: "greet",
  async *run() {
    return `Hello, ${yield* ask.text("Your name?", { id: "name" })}.`;
  },
});

it(
  verifies(
    "D3",
    "a server with tokens is asked over HTTP with the one that is typed in, which goes nowhere else",
  ),
  async () => {
    const { url } = await stage({ tools: [greeter], tokens: { ada: TOKEN } });
    const mayComplain = /status of 401|WebSocket connection to .* failed/;
    const person = new Person(await playground.visit(url, { says: "refused", mayComplain }));
    const { tab } = person;

    await tab
      .getByRole("region", { name: "About the connection" })
      .getByRole("button", { name: "Enter a token" })
      .click();
    const settings = tab.getByRole("dialog", { name: "Settings" });
    await settings.getByRole("radio", { name: "Streamable HTTP" }).check();
    await settings.getByRole("textbox", { name: "Token" }).fill(TOKEN);
    await settings.getByRole("button", { name: "Save" }).click();
    await person.says("connected");
    await person.choose("greet");
    await person.runIt();
    await (await person.asked("Your name?")).getByRole("textbox").fill("Ada");
    await person.press("Accept");

    expect((await person.ending()).says).toContain("Hello, Ada.");
    for (const message of await person.wire.getByRole("listitem").all())
      await message.locator("summary").click();
    expect(await tab.content()).not.toContain(TOKEN);
    expect(tab.url()).not.toContain(TOKEN);
    const other = await tab.context().newPage();
    await other.goto(url);
    await other.getByText("refused", { exact: true }).waitFor();
    expect(JSON.stringify(await tab.context().storageState({ indexedDB: true }))).not.toContain(TOKEN);
    expect(await other.evaluate("JSON.stringify({ ...sessionStorage })")).not.toContain(TOKEN);
  },
);
