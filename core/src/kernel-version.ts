import { readFileSync } from 'node:fs';

/** Version of the kernel, as its package says. */
export const kernelVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
