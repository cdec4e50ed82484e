/**
 * Whether the person works in a field just now. A question does not take the focus from it: the next keys are meant for the
 * field, and would answer the question.
 *
 * A field is in use while it has the focus. One whose content was submitted is not, until the next key or click in it.
 */
let submitted: Element | null = null;

export function isFieldInUse(): boolean {
  const { activeElement } = document;
  return activeElement !== submitted && isField(activeElement);
}

/** The content of the field with the focus was submitted. */
export function noteSubmitted(): void {
  const field = document.activeElement;
  submitted = field;
  const use = (): void => {
    if (submitted === field) submitted = null;
  };
  for (const event of ["keydown", "input", "pointerdown"])
    field?.addEventListener(event, use, { once: true });
}

const isField = (element: Element | null): boolean =>
  element instanceof HTMLElement && (element.isContentEditable || element.matches("input, textarea, select"));
