import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurablySync } from '@mortise/plugin-sdk';
import { StartError } from '../plugins/errors.js';

const bytes = 32;

export const secretFile = (workDir: string): string => join(workDir, 'config', 'secret');

/** The secret in the file; undefined: there is no file. Throws when it holds something else. */
export function readSecret(file: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw refusal(`the secret ${file} cannot be read: ${(error as Error).message}`);
  }
  if (new RegExp(`^[0-9a-f]{${2 * bytes},}$`, 'i').test(text) && text.length % 2 === 0) return Buffer.from(text, 'hex');
  throw refusal(
    `the secret ${file} ${text ? 'is damaged' : 'is empty'}: bring it back from a back-up. Without one, mortise doctor --fix makes a new one; secrets of webhooks must then be entered again`,
  );
}

const refusal = (text: string) => new StartError([{ plugins: [], text }]);

/** Makes the file where there is none. Of many processes that do so at once, one wins for all. */
export function makeSecret(file: string): void {
  try {
    writeDurablySync(file, `${randomBytes(bytes).toString('hex')}\n`, { exclusive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Reads the secret of this work directory, or makes it. */
export function storedSecret(workDir: string): Buffer {
  const file = secretFile(workDir);
  const known = readSecret(file);
  if (known) return known;
  makeSecret(file);
  return readSecret(file)!;
}
