const MINUTE = 60_000;

/** Rejects when `work` takes more than this many minutes. `problem` begins the message of every error. */
export async function withTimeout<Result>(
  work: Promise<Result>,
  problem: () => string,
  minutes = 1,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${minutes} min.`)), minutes * MINUTE);
  });
  try {
    return await Promise.race([work, timeout]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${problem()}: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
