/** Whether a page still answers: counted in frames and in elements, which are the same on every machine. */
import type { Page as Tab } from "playwright-core";

/** Presses a tool in the list, and counts the frames until its name is above the form; a page that stands still has none. */
export function framesToChoose(tab: Tab, name: string): Promise<number> {
  return tab.evaluate<number>(`(async (title) => {
    const isChosen = () => document.querySelector("main h1")?.textContent.trim() === title;
    if (isChosen()) throw new Error(title + " is chosen already.");
    document.querySelector(\`.offer[title="\${title}"]\`).click();
    let frames = 0;
    for (; !isChosen() && frames < 100; frames++) await new Promise(requestAnimationFrame);
    return frames;
  })(${JSON.stringify(name)})`);
}

export interface Weight {
  readonly elements: number;
  readonly characters: number;
  /** Of long lists, those that a browser has laid out. */
  readonly rows: number;
}

/** How much there is on the page. */
export function weigh(tab: Tab): Promise<Weight> {
  return tab.evaluate<Weight>(`({
    elements: document.querySelectorAll("*").length,
    characters: document.body.textContent.length,
    rows: [...document.querySelectorAll(".chunk > li > *")].filter((row) =>
      row.checkVisibility({ contentVisibilityAuto: true })).length,
  })`);
}

/** Counts the elements that are put on the page from now on. */
export async function countAdded(tab: Tab): Promise<() => Promise<number>> {
  await tab.evaluate(`{
    globalThis.added = 0;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) added += (node.querySelectorAll?.("*").length ?? -1) + 1;
    }).observe(document.body, { childList: true, subtree: true });
  }`);
  return () => tab.evaluate<number>("added");
}

/** Scrolls the run that is looked at to where it began. */
export async function scrollToBeginning(tab: Tab): Promise<void> {
  await tab.evaluate(`document.querySelector(".run-panel").scrollTo(0, 0)`);
}
