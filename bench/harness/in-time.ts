const MINUTE = 60_000;

/** Gives up on what takes minutes that should take less. What goes wrong is told with what it was. */
export async function inTime<What>(work: Promise<What>, problem: () => string, minutes = 1): Promise<What> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${minutes} min.`)), minutes * MINUTE);
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`${problem()}: ${words}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
