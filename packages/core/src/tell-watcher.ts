/** Tells somebody who watches, and waits where they want that. Whoever watches may have a problem; the tool has none. */
export function tellWatcher(
  tell: () => void | Promise<void>,
  report: (error: unknown) => void,
): Promise<void> | undefined {
  try {
    const telling = tell();
    return telling === undefined ? undefined : heard(telling, report);
  } catch (error) {
    report(error);
    return undefined;
  }
}

async function heard(telling: Promise<void>, report: (error: unknown) => void): Promise<void> {
  try {
    await telling;
  } catch (error) {
    report(error);
  }
}
