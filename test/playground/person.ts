/** Somebody in front of the page, who goes by what there is to see: roles, labels and words. */
import type { Locator, Page as Tab } from "playwright-core";

type Input = Readonly<Record<string, unknown>>;

/** How a run has ended, as the page says it, and the last that it tells of it. */
export interface Ended {
  readonly state: string;
  readonly says: string;
}

export class Person {
  readonly tab: Tab;

  constructor(tab: Tab) {
    this.tab = tab;
  }

  /** The question in front of everything else. */
  get question(): Locator {
    return this.tab.getByRole("dialog");
  }

  /** The run that is looked at. */
  get run(): Locator {
    return this.tab.getByRole("tabpanel");
  }

  /** What is chosen, and its runs. */
  get main(): Locator {
    return this.tab.getByRole("main");
  }

  /** What goes to the server and comes from it. */
  get wire(): Locator {
    return this.tab.getByRole("complementary", { name: "Wire" });
  }

  /** What there is to be chosen. */
  get list(): Locator {
    return this.tab.getByRole("navigation", { name: "What can be called" });
  }

  /** Changes how the page speaks to the server, as the settings have it. */
  async speak(...choices: readonly string[]): Promise<void> {
    await this.tab.getByRole("button", { name: /settings$/ }).click();
    const settings = this.tab.getByRole("dialog", { name: "Settings" });
    for (const choice of choices) await settings.getByRole("radio", { name: choice }).check();
    await settings.getByRole("button", { name: "Save" }).click();
    await this.says("connected");
  }

  /** Waits for the page to say this of its connection. */
  async says(state: string): Promise<void> {
    await this.tab.getByRole("banner").getByRole("status").getByText(state, { exact: true }).waitFor();
  }

  async choose(title: string): Promise<void> {
    await this.list.getByRole("button", { name: title }).click();
  }

  /** Opens a link to a tool with its input. */
  async follow(tool: string, input: Input): Promise<void> {
    await this.tab.goto(new URL(linkTo(tool, input), this.tab.url()).href);
  }

  /** Runs what is chosen. */
  async runIt(verb = "Run"): Promise<void> {
    const runs = this.tab.getByRole("tab");
    const before = await runs.count();
    await this.main.getByRole("button", { name: verb, exact: true }).first().click();
    await runs.nth(before).waitFor();
  }

  /** Waits to be asked this, and has it in front. */
  async asked(message: string | RegExp): Promise<Locator> {
    const question = this.tab.getByRole("dialog", { name: message });
    await question.waitFor();
    return question;
  }

  async press(name: string): Promise<void> {
    await this.question.getByRole("button", { name, exact: true }).click();
  }

  /** Opens the page that a question sends one to, in another tab. */
  async openPage(): Promise<Tab> {
    const opened = this.tab.context().waitForEvent("page");
    await this.question.getByRole("link", { name: /^Open the page/ }).click();
    return opened;
  }

  /** Waits for a box to be complained of, and says how. */
  async problemOf(box: Locator): Promise<string> {
    await box.and(this.tab.locator("[aria-invalid=true]")).waitFor();
    return this.descriptionOf(box);
  }

  /** What a box is described by, as those hear it who do not see. */
  async descriptionOf(box: Locator): Promise<string> {
    const ids = ((await box.getAttribute("aria-describedby")) ?? "").split(" ");
    const words = await Promise.all(ids.map((id) => this.tab.locator(`[id="${id}"]`).allInnerTexts()));
    return words.flat().join(" ").trim();
  }

  /** Waits for the run that is looked at to be over. */
  async ending(): Promise<Ended> {
    const head = this.run.getByRole("heading", { name: /^(done|failed|cancelled) / });
    const [state = ""] = (await head.innerText()).trim().split(/\s/);
    const last = this.run.getByRole("listitem").last();
    // An entry that is out of sight is not laid out, and has no inner text until the browser has drawn a frame.
    await last.scrollIntoViewIfNeeded();
    await last.evaluate(`async (entry) => {
      while (entry.innerText.trim() === "" && entry.textContent.trim() !== "")
        await new Promise(requestAnimationFrame);
    }`);
    return { state, says: await last.innerText() };
  }
}

export const linkTo = (tool: string, input: Input): string =>
  `#tool/${tool}?input=${encodeURIComponent(JSON.stringify(input))}`;
