/** Threads for what would hold the event loop: a few at once, whoever comes later waits. */
const atOnce = 2;
let running = 0;
const waiting: (() => void)[] = [];

export async function beginThread(): Promise<void> {
  if (running < atOnce) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

/** The place goes to the one that waits longest. */
export function endThread(): void {
  const next = waiting.shift();
  if (next) next();
  else running--;
}

export const threadLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 } as const;
