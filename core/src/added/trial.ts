import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type HostOptions } from '../host.js';
import { StartError } from '../plugins/errors.js';
import { checkRoutes } from '../registry/check-routes.js';

/**
 * What would be wrong with the plugin of this folder in place that is not wrong `today`: ranges, claims, settings, and,
 * on a database that is thrown away, its services, contributions and routes.
 */
export async function newProblems(
  options: HostOptions,
  candidate: string,
  today: readonly string[],
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-trial-'));
  const settings = {
    ...options.settings,
    database: { ...options.settings?.database, DB_TYPE: 'sqlite3', PATH: join(folder, 'trial.db') },
    redis: { ...options.settings?.redis, CONN_STR: '' },
  };
  try {
    const host = await createHost({ ...options, settings, candidate, tolerant: true, logLevel: 'none' });
    try {
      const declared = host.composition.problems.filter((one) => !today.includes(one));
      if (declared.length > 0) return declared;
      const causes = host.check();
      return [
        ...new Set(
          [...causes, ...(causes.length ? [] : checkRoutes(host.routes(), host.composition.points))].map(
            (one) => one.text,
          ),
        ),
      ];
    } finally {
      await host.stop();
    }
  } catch (error) {
    return error instanceof StartError ? [...error.problems] : [(error as Error).message];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
