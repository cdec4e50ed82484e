/** What is answered elsewhere: on a page of the server, or of somebody else. */
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import * as outside from "../kitchen-sink/scenarios/outside.ts";
import * as shelf from "../kitchen-sink/scenarios/shelf.ts";
import { recordings } from "../kitchen-sink/studio.ts";
import type { Person } from "./person.ts";
import type { Scene } from "./scene.ts";

/** Fills in a page of the server in another tab, by what its field is called. */
const filledInPage = (fill: (page: Locator) => Promise<void>) => async (_: Locator, person: Person) => {
  const page = await person.openPage();
  await page.getByRole("button", { name: "Continue" }).click();
  await fill(page.getByRole("main"));
  await page.getByRole("button", { name: /^(Send answer|Upload file)$/ }).click();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
  await page.close();
};

export const secret: Scene = {
  kind: "a secret, on its page",
  performance: outside.connectShop,
  questions: [
    {
      key: "key",
      message: "What is the API key of The Needle?",
      answer: filledInPage((page) => page.getByLabel("API key").fill("sk-studio-0123456789")),
    },
  ],
};

export const file: Scene = {
  kind: "a file, on its page",
  performance: shelf.uploadSample,
  questions: [
    {
      key: "recording",
      message: "Which recording do you want to upload?",
      answer: filledInPage((page) =>
        page.getByLabel("Recording").setInputFiles(fileURLToPath(`${recordings.uri}/demo.wav`)),
      ),
    },
  ],
};

export const url: Scene = {
  kind: "a visit to a page elsewhere",
  performance: outside.linkLabel,
  questions: [
    {
      key: "sign-in",
      message: "Sign in at the label as Ada, and allow the studio to publish.",
      async answer(question, person) {
        const page = await person.openPage();
        await page.getByRole("button", { name: "Allow" }).click();
        await page.getByText("Go back to the studio.").waitFor();
        await page.close();
        await question.getByRole("button", { name: "Accept: it is done there" }).click();
      },
    },
  ],
};
