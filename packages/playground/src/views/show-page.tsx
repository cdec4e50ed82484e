import { render } from "preact";
import type { Desk } from "../desk/desk.ts";
import { followAddress } from "./address.ts";
import { loadForm } from "./call/guarded-form.tsx";
import { keepTitle } from "./keep-title.ts";
import { Page } from "./page.tsx";
import { openStage } from "./stage.ts";

/** Puts a desk on the page. */
export function showPage(desk: Desk, into: Element): void {
  const stage = openStage(desk);
  followAddress(stage);
  keepTitle(stage);
  render(<Page stage={stage} />, into);
  void loadForm();
}
