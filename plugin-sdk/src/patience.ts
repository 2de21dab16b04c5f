/** What could not be read must not take the rest of a page with it: `instead` takes its place. */
export const attempt = <T, F>(work: Promise<T>, instead: F): Promise<T | F> => work.catch(() => instead);

/** Waits so long and no longer, for what a page can be without; the work goes on, for its cache and the next time. */
export async function within<T, F = undefined>(milliseconds: number, work: Promise<T>, instead?: F): Promise<T | F> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<F>((resolve) => {
    timer = setTimeout(() => resolve(instead as F), milliseconds);
  });
  try {
    return await Promise.race([attempt(work, instead as F), late]);
  } finally {
    clearTimeout(timer);
  }
}
