/** What is answered on the page itself: a scene for each kind of question. */
import { expect } from "vitest";
import * as people from "../kitchen-sink/scenarios/people.ts";
import * as shelf from "../kitchen-sink/scenarios/shelf.ts";
import * as song from "../kitchen-sink/scenarios/song.ts";
import { file, secret, url } from "./page-scenes.ts";
import { accept, filled, yes, type Scene } from "./scene.ts";

const text: Scene = {
  kind: "a text",
  performance: shelf.nameArtifact,
  questions: [
    {
      key: "name",
      message: "What shall take-1.wav be called?",
      answer: filled("What shall take-1.wav be called?", "Opener"),
    },
  ],
};

export const numberOnSlider: Scene = {
  kind: "a number on a slider",
  performance: song.setTempo,
  questions: [
    {
      key: "tempo",
      message: "How fast is it, in beats a minute?",
      async answer(question) {
        await question.getByRole("slider").fill("96");
        await accept(question);
      },
    },
  ],
};

const numberInBox: Scene = {
  kind: "a number in its box",
  performance: song.tune,
  questions: [
    {
      key: "cents",
      message: "How many cents is your A off?",
      answer: filled("How many cents is your A off?", "-7.5"),
    },
  ],
};

const rating: Scene = {
  kind: "stars",
  performance: song.rateClip,
  questions: [
    {
      key: "stars",
      message: "How many stars for take-1.wav?",
      async answer(question) {
        await question.getByRole("radio", { name: "4 of 5" }).check();
        await accept(question);
      },
    },
  ],
};

const confirm: Scene = {
  kind: "a yes or a no",
  performance: song.metronome,
  questions: [
    { key: "more", message: "Once more?", answer: yes },
    {
      key: "more#2",
      message: "Once more?",
      answer: (question) => question.getByRole("button", { name: "No", exact: true }).click(),
      isAnsweredOnly: true,
    },
  ],
};

export const dangerous: Scene = {
  kind: "several of a few, and a yes to what is dangerous",
  performance: shelf.deleteArtifacts,
  questions: [
    {
      key: "names",
      message: "Which files should be deleted?",
      async answer(question) {
        await question.getByRole("checkbox", { name: "take-2.wav" }).check();
        await accept(question);
      },
    },
    {
      key: "sure",
      message: "Delete take-2.wav? This cannot be undone.",
      async answer(question) {
        await question.getByText("Say yes only if you mean it.").waitFor();
        await yes(question);
      },
    },
  ],
};

const fewChoices: Scene = {
  kind: "one of a few, with what they mean",
  performance: song.pickVariation,
  questions: [
    {
      key: "variation",
      message: "Which variation of the hook?",
      async answer(question) {
        await question
          .getByRole("radio", { name: /Round the corner.*Up, and back to where it began/ })
          .check();
        await accept(question);
      },
    },
  ],
};

const someChoices: Scene = {
  kind: "one of a list",
  performance: song.pickKey,
  questions: [
    {
      key: "key",
      message: "Which key is the song in?",
      async answer(question) {
        await question.getByRole("combobox").selectOption("Eb");
        await accept(question);
      },
    },
  ],
};

const moment: Scene = {
  kind: "a moment, in the time of whoever is asked",
  performance: people.bookSession,
  // The browser is in Berlin.
  questions: [
    {
      key: "start",
      message: "When do you want to come in?",
      answer: filled("When do you want to come in?", "2026-08-01T11:00"),
    },
  ],
};

const form: Scene = {
  kind: "a form with a field of each kind",
  performance: people.signUp,
  questions: [
    {
      key: "member",
      message: "Become a member",
      async answer(question) {
        // Where to write to stands there already: the tool was called with it.
        await question.getByLabel("Name", { exact: true }).fill("Ada");
        await question.getByLabel("Date of birth").fill("1990-12-10");
        for (const plays of ["Keys", "Voice"]) await question.getByRole("checkbox", { name: plays }).check();
        await question.getByRole("radio", { name: "Well", exact: true }).check();
        await question.getByLabel("Hours a week", { exact: true }).fill("6");
        await question
          .getByRole("group", { name: "Send me news" })
          .getByRole("radio", { name: "No", exact: true })
          .check();
        await accept(question);
      },
    },
  ],
};

const days: Scene = {
  kind: "a day, among other things",
  performance: {
    ...people.credits,
    changes: {
      "credits.json": expect.objectContaining({
        written: "Ada",
        recorded: "2026-07-28",
        mixed: "2026-07-29T18:30:00.000Z",
      }),
    },
  },
  questions: [
    { key: "names", message: "Who made Opener?", answer: filled("Written by", "Ada"), isAnsweredOnly: true },
    {
      key: "recorded",
      message: "On which day was it recorded?",
      answer: filled("On which day was it recorded?", "2026-07-28"),
    },
    {
      key: "mixed",
      message: "When was the mix done?",
      answer: filled("When was the mix done?", "2026-07-29T20:30"),
      isAnsweredOnly: true,
    },
    { key: "final", message: "Is that final?", answer: yes, isAnsweredOnly: true },
  ],
};

/** To refuse a model ends a call of 2026-07-28: it is answered only. */
export const words: Scene = {
  kind: "words in the place of a model's",
  performance: people.linerNotes,
  questions: [
    {
      key: "draft",
      message: "The tool wants a model to speak",
      async answer(question) {
        await question.getByText("Liner notes for a song in C at 120 beats a minute.").waitFor();
        await filled("What the model says", "Made at night. Played by hand.")(question);
      },
    },
  ],
};

export const scenes: readonly Scene[] = [
  text,
  numberOnSlider,
  numberInBox,
  rating,
  confirm,
  dangerous,
  fewChoices,
  someChoices,
  moment,
  form,
  days,
  secret,
  file,
  url,
];
