import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { BadRequest, Conflict, NotFound } from '@mortise/plugin-sdk';
import { compose } from '../compose.js';
import type { HostOptions } from '../host.js';
import { dependentsOf, isListed } from '../plugins/disabled.js';
import { names, withKey } from '../settings/index.js';

const [section, key] = ['plugins', 'DISABLED'] as const;

/** Writes plugins, and those that cannot do without them, into `[plugins] DISABLED`; gives the names that came anew. */
export async function disablePlugins(options: HostOptions, wanted: readonly string[]): Promise<string[]> {
  const composition = await compose({ ...options, logStream: 'stderr', logLevel: 'none', tolerant: true });
  const { settingsRegistry, plugins, found, settings } = composition;
  const known = new Set([...found.map(({ name }) => name), ...plugins.map(({ definition }) => definition.name)]);
  const strange = wanted.find((pattern) => ![...known].some((name) => isListed([pattern], name)));
  if (strange !== undefined) throw NotFound(`There is no plugin ${strange}.`);
  const state = settingsRegistry.states().find((one) => one.section === section && one.key === key);
  if (state && state.source !== 'default' && state.source !== 'file')
    throw Conflict(
      `[plugins] DISABLED is set by ${state.from ?? 'the program'}, which wins over the file: set it there.`,
    );
  const before = names(settings.plugins.DISABLED);
  const asked = [...known].filter((name) => isListed([...before, ...wanted], name));
  const dependents = dependentsOf(
    plugins.map(({ definition }) => definition),
    new Set(asked),
  );
  const added = [...wanted, ...dependents.filter((name) => !isListed(wanted, name))].filter(
    (name) => !isListed(before, name),
  );
  if (added.length > 0) writeSetting(settingsRegistry.file, [...before, ...added].join(', '));
  return added;
}

function writeSetting(file: string, value: string): void {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw BadRequest(`The settings file ${file} cannot be read: ${(error as Error).message}`);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.draft`, withKey(text, section, key, value), { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}
