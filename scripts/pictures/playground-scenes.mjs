/** The pictures of the playground, each with the actions of the user that lead to it. */

/**
 * @typedef {import("playwright-core").Page} Tab
 * @typedef {{
 *   readonly hash?: string;
 *   readonly size?: { readonly width: number; readonly height: number };
 *   readonly dark?: boolean;
 *   readonly folded?: boolean;
 *   readonly inbox?: boolean;
 *   readonly element?: string;
 *   readonly play: (tab: Tab) => Promise<void>;
 * }} Scene
 *
 * - `hash`: the part of the URL after the `#`
 * - `folded`: with the column of messages folded
 * - `inbox`: on the server with a store and open questions
 * - `element`: the selector of the element that is shown; by default the whole page
 * - `play`: the actions of the user
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
 * A picture of a question: calls a tool, waits for its question, and runs further actions.
 *
 * @param {string} hash
 * @param {(tab: Tab) => Promise<void>} [play]
 * @returns {Scene}
 */
function question(hash, play) {
  return {
    hash,
    element: QUESTION,
    async play(tab) {
      await run(tab);
      await asked(tab);
      await play?.(tab);
    },
  };
}

/**
 * The hash that selects a tool, with its input.
 *
 * @param {string} name
 * @param {object} [input]
 */
function toolHash(name, input) {
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
    hash: toolHash("plan_tour", TOUR),
    play: (tab) => tab.getByLabel("Band").waitFor(),
  },
  running: {
    // The lowest speed, so that the picture is taken between two bars.
    folded: true,
    hash: toolHash("bounce_mix", { bars: 8, speed: 1 }),
    async play(tab) {
      await run(tab);
      await tab.getByRole("button", { name: "Yes", exact: true }).click();
      await tab.locator(".progress-words").getByText("Bar 2 of 8").waitFor();
    },
  },
  asking: {
    hash: toolHash("release_song"),
    async play(tab) {
      await run(tab);
      await asked(tab);
    },
  },
  result: {
    folded: true,
    hash: toolHash("share_clip", { clip: "take-1.wav" }),
    async play(tab) {
      await run(tab);
      await tab.locator(".run-state.state-done").waitFor();
      await tab.locator("figure img").scrollIntoViewIfNeeded();
    },
  },
  logs: {
    folded: true,
    hash: toolHash("check_levels", { clip: "take-1.wav" }),
    async play(tab) {
      await run(tab);
      await tab.locator(".run-state.state-done").waitFor();
    },
  },
  error: {
    folded: true,
    hash: toolHash("draw_waveform", { clip: "no-such.wav" }),
    async play(tab) {
      await run(tab);
      await tab.locator(".run-state.state-failed").waitFor();
    },
  },
  wire: {
    hash: toolHash("set_tempo"),
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
    inbox: true,
    play: (tab) => tab.getByRole("region", { name: "Waiting" }).waitFor(),
  },
  dark: {
    hash: toolHash("pick_variation"),
    dark: true,
    async play(tab) {
      await run(tab);
      await asked(tab);
    },
  },
  narrow: {
    hash: toolHash("bounce_mix", { bars: 8, speed: 4 }),
    size: NARROW,
    play: (tab) => tab.getByLabel("bars").waitFor(),
  },
  "narrow-asking": { ...question(toolHash("set_tempo")), size: NARROW, element: "" },
  "ask-text": question(toolHash("name_artifact", { artifact: "take-1.wav" })),
  "ask-number": question(toolHash("set_tempo")),
  "ask-rating": question(toolHash("rate_clip", { clip: "take-1.wav" }), async (tab) => {
    await tab.getByRole("radio", { name: "4 of 5" }).check();
  }),
  "ask-confirm": question(toolHash("bounce_mix", { bars: 8, speed: 4 })),
  "ask-dangerous": question(toolHash("delete_artifacts"), async (tab) => {
    await tab.getByRole("checkbox").first().check();
    await tab.getByRole("button", { name: "Accept" }).click();
    await tab.locator(`${QUESTION} .danger[aria-disabled=false]`).waitFor();
  }),
  "ask-select": question(toolHash("pick_variation")),
  "ask-list": question(toolHash("pick_key")),
  "ask-search": question(toolHash("plan_tour", TOUR), (tab) =>
    tab.getByRole("searchbox", { name: /choices/ }).fill("il"),
  ),
  "ask-multiselect": question(toolHash("delete_artifacts")),
  "ask-date": question(toolHash("release_song"), async (tab) => {
    await tab.getByRole("button", { name: /Release the song, date/ }).click();
    await tab.locator("input[type=date]").waitFor();
  }),
  "ask-moment": question(toolHash("book_session")),
  "ask-form": question(toolHash("sign_up")),
  "ask-secret": question(toolHash("connect_shop", { shop: "needle" })),
  "ask-file": question(toolHash("upload_sample")),
  "ask-url": question(toolHash("link_label", { artist: "Ada" })),
  "ask-sample": question(toolHash("write_liner_notes")),
  // The page shows the problem beside the field.
  "ask-again": question(toolHash("name_artifact", { artifact: "take-1.wav" }), async (tab) => {
    await tab.locator(`${QUESTION} input`).fill("?!?");
    await tab.getByRole("button", { name: "Accept" }).click();
    await tab.locator(`${QUESTION} .has-problem`).waitFor();
  }),
};
