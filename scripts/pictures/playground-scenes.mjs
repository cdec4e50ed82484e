/** What each picture of the playground shows, and how somebody gets there. */

/**
 * @typedef {import("playwright-core").Page} Tab
 * @typedef {{
 *   readonly place?: string;
 *   readonly size?: { readonly width: number; readonly height: number };
 *   readonly dark?: boolean;
 *   readonly folded?: boolean;
 *   readonly kept?: boolean;
 *   readonly of?: string;
 *   readonly play: (tab: Tab) => Promise<void>;
 * }} Scene `of` names the part that is shown; without it, all of it is; `folded`: without the wire;
 *   `kept`: of the server with a store, on which something waits
 */

const NARROW = { width: 390, height: 800 };
const QUESTION = "dialog.question";

/** @param {Tab} tab */
async function run(tab) {
  await tab.getByRole("button", { name: "Run", exact: true }).click();
}

/** @param {Tab} tab */
async function asked(tab) {
  await tab.locator(`${QUESTION}[open]`).waitFor();
}

/**
 * A picture of a question: calls a tool, and does what leads to it.
 *
 * @param {string} place
 * @param {(tab: Tab) => Promise<void>} [play]
 * @returns {Scene}
 */
function question(place, play) {
  return {
    place,
    of: QUESTION,
    async play(tab) {
      await run(tab);
      await asked(tab);
      await play?.(tab);
    },
  };
}

/**
 * A tool with what it is called with.
 *
 * @param {string} name
 * @param {object} [input]
 */
function called(name, input) {
  return `tool/${name}${input === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`}`;
}

const TOUR = {
  band: "The Sinks",
  contact: { email: "ada@example.com", language: "Polish" },
  stops: [
    { city: "Gdansk", nights: 2 },
    { city: "Riga", nights: 1 },
  ],
};

/** @type {Readonly<Record<string, Scene>>} */
export const SCENES = {
  list: { play: (tab) => tab.getByText("Choose something to call").waitFor() },
  form: {
    folded: true,
    place: called("plan_tour", TOUR),
    play: (tab) => tab.getByLabel("Band").waitFor(),
  },
  running: {
    // Slow enough for a picture between two bars.
    folded: true,
    place: called("bounce_mix", { bars: 8, speed: 1 }),
    async play(tab) {
      await run(tab);
      await tab.getByRole("button", { name: "Yes", exact: true }).click();
      await tab.locator(".progress-words").getByText("Bar 2 of 8").waitFor();
    },
  },
  asking: {
    place: called("release_song"),
    async play(tab) {
      await run(tab);
      await asked(tab);
    },
  },
  result: {
    folded: true,
    place: called("share_clip", { clip: "take-1.wav" }),
    async play(tab) {
      await run(tab);
      await tab.locator(".run-state.state-done").waitFor();
      await tab.locator("figure img").scrollIntoViewIfNeeded();
    },
  },
  logs: {
    folded: true,
    place: called("check_levels", { clip: "take-1.wav" }),
    async play(tab) {
      await run(tab);
      await tab.locator(".run-state.state-done").waitFor();
    },
  },
  error: {
    folded: true,
    place: called("draw_waveform", { clip: "no-such.wav" }),
    async play(tab) {
      await run(tab);
      await tab.locator(".run-state.state-failed").waitFor();
    },
  },
  wire: {
    place: called("set_tempo"),
    async play(tab) {
      await run(tab);
      await tab.getByLabel("Tempo", { exact: true }).fill("120");
      await tab.getByRole("button", { name: "Accept" }).click();
      await tab.locator(".run-state.state-done").waitFor();
      await tab.getByLabel("Run", { exact: true }).selectOption({ index: 1 });
      await tab.locator(".exchange summary").nth(2).click();
    },
  },
  waiting: {
    folded: true,
    kept: true,
    play: (tab) => tab.getByRole("region", { name: "Waiting" }).waitFor(),
  },
  dark: {
    place: called("pick_variation"),
    dark: true,
    async play(tab) {
      await run(tab);
      await asked(tab);
    },
  },
  narrow: {
    place: called("bounce_mix", { bars: 8, speed: 4 }),
    size: NARROW,
    play: (tab) => tab.getByLabel("bars").waitFor(),
  },
  "narrow-asking": { ...question(called("set_tempo")), size: NARROW, of: "" },
  "ask-text": question(called("name_artifact", { artifact: "take-1.wav" })),
  "ask-number": question(called("set_tempo")),
  "ask-rating": question(called("rate_clip", { clip: "take-1.wav" }), async (tab) => {
    await tab.getByRole("radio", { name: "4 of 5" }).check();
  }),
  "ask-confirm": question(called("bounce_mix", { bars: 8, speed: 4 })),
  "ask-dangerous": question(called("delete_artifacts"), async (tab) => {
    await tab.getByRole("checkbox").first().check();
    await tab.getByRole("button", { name: "Accept" }).click();
    await tab.locator(`${QUESTION} .danger[aria-disabled=false]`).waitFor();
  }),
  "ask-select": question(called("pick_variation")),
  "ask-list": question(called("pick_key")),
  "ask-search": question(called("plan_tour", TOUR), (tab) =>
    tab.getByRole("searchbox", { name: /choices/ }).fill("il"),
  ),
  "ask-multiselect": question(called("delete_artifacts")),
  "ask-date": question(called("release_song"), async (tab) => {
    await tab.getByRole("button", { name: /Release the song, date/ }).click();
    await tab.locator("input[type=date]").waitFor();
  }),
  "ask-moment": question(called("book_session")),
  "ask-form": question(called("sign_up")),
  "ask-secret": question(called("connect_shop", { shop: "needle" })),
  "ask-file": question(called("upload_sample")),
  "ask-url": question(called("link_label", { artist: "Ada" })),
  "ask-sample": question(called("write_liner_notes")),
  // The page says beside the field what does not fit.
  "ask-again": question(called("name_artifact", { artifact: "take-1.wav" }), async (tab) => {
    await tab.locator(`${QUESTION} input`).fill("?!?");
    await tab.getByRole("button", { name: "Accept" }).click();
    await tab.locator(`${QUESTION} .has-problem`).waitFor();
  }),
};
