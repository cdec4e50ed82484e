/** Where what had the focus has gone, the keyboard goes on from the run that is looked at, or from what is chosen. */
export function keepFocus(): void {
  // When it has gone.
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const [next] = ["#run-panel", "#call-title"].flatMap(
      (name) => document.querySelector<HTMLElement>(name) ?? [],
    );
    next?.focus({ preventScroll: true });
  });
}
