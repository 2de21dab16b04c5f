import { chmodSync, renameSync, statSync } from 'node:fs';
import type { Finding, Site } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { StartError } from '../plugins/errors.js';
import { makeSecret, readSecret, secretFile } from '../settings/secret.js';

const table = 'installation';
const row = { name: 'secret' };

/** Tells secrets apart and nothing about them. */
const secretFingerprint = (site: Site): string => site.secret('which secret this is').toString('hex').slice(0, 16);

/** The file itself; before anything is made that needs what it holds. `isGiven`: settings name a secret instead. */
export function* checkSecretFile(workDir: string, isGiven: boolean, fix: boolean): Generator<Finding> {
  const file = secretFile(workDir);
  if (!isGiven) {
    try {
      readSecret(file);
    } catch (error) {
      if (fix) {
        renameSync(file, `${file}.damaged-${Date.now()}`);
        makeSecret(file);
      }
      const text = fix
        ? `the secret ${file} could not be used; a new one was made, and the former file lies beside it. Secrets of webhooks must be entered again, and everybody signs in again`
        : error instanceof StartError
          ? error.causes.map((one) => one.text).join('; ')
          : (error as Error).message;
      yield { level: 'error', text, fixed: fix };
    }
  }
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || (stats.mode & 0o077) === 0) return;
  if (fix) chmodSync(file, 0o600);
  yield { level: 'warning', text: `other users of this machine may read ${file}`, fixed: fix };
}

/** Is the secret the one with which the database was used before? */
export async function isSecretOfDatabase(database: KernelDatabase, site: Site): Promise<boolean> {
  const known = await database.knex()(table).where(row).first<{ value: string } | undefined>('value');
  return known === undefined || known.value === secretFingerprint(site);
}

/** From now on it is this secret. Writes only when something else is noted. */
export async function noteSecret(database: KernelDatabase, site: Site): Promise<void> {
  const value = secretFingerprint(site);
  const known = await database.knex()(table).where(row).first<{ value: string } | undefined>('value');
  if (known?.value === value) return;
  await database.write(
    async () =>
      void (await database
        .knex()(table)
        .insert({ ...row, value })
        .onConflict('name')
        .merge()),
  );
}

/** Says so where another secret was in use, which every node and every restore must share. */
export async function* checkSecretOfDatabase(
  database: KernelDatabase,
  site: Site,
  fix: boolean,
): AsyncGenerator<Finding> {
  if (await isSecretOfDatabase(database, site)) return;
  if (fix) await noteSecret(database, site);
  yield {
    level: 'error',
    text: `the secret is not the one that this database was used with: ${otherSecret}${fix ? '. The one that is there counts from now on' : ''}`,
    fixed: fix,
  };
}

export const otherSecret =
  'secrets of webhooks cannot be read, and sessions are invalid. Bring the former config/secret (or [security] SECRET_KEY) back, the same one on every node, or enter these secrets again';
