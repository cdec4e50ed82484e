/** Arrow keys go from button to button in a list, from the search into it and back. */
export function moveFocus(event: KeyboardEvent, list: HTMLElement): void {
  const to = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (to === undefined) return;
  const buttons = [...list.querySelectorAll("button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  const next = at === -1 && to === -1 ? undefined : buttons[at + to];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
