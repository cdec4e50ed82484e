/** Something did not happen in time. */
export class NotInTime extends Error {
  override readonly name = "NotInTime";
}

/** What something comes to, or an error where that takes longer than so many milliseconds. */
export async function inTime<T>(limit: number, something: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotInTime(`It took longer than ${limit} ms.`)), limit);
  });
  try {
    return await Promise.race([something, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles when something has, well or not, and at the latest after so many milliseconds. */
export async function atMost(limit: number, something: Promise<unknown>): Promise<void> {
  await inTime(limit, something).catch(() => {});
}
