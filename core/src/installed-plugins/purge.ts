import { existsSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { BadRequest, Conflict, storage as storageRef } from '@mortise/plugin-sdk';
import type { Host } from '../host.js';
import { withoutKeys } from '../settings/ini.js';

/**
 * Takes out everything that a plugin keeps here: blobs of its areas, jobs, schedules, deliveries and events, its tables
 * (`down` of its migrations, the last first) and its keys in the settings file. Can be repeated when it was cut off.
 * Gives what was done, in words.
 */
export async function purge(host: Host, name: string): Promise<string[]> {
  const { plugins } = host.composition;
  const plugin = plugins.find((one) => one.definition.name === name)?.definition;
  if (!plugin) throw BadRequest(`the data of ${name} can be removed only while it is loaded`);
  const needy = plugins.filter(({ definition }) => name in (definition.requires ?? {}));
  if (needy.length > 0)
    throw Conflict(`the plugin ${name} is required by ${needy.map((one) => one.definition.name).join(', ')}`);
  const done: string[] = [];
  const blobs = await purgeBlobs(host, plugin.areas ?? []);
  if (blobs) done.push(`${blobs} files deleted`);
  const rows = await purgeRows(host, name);
  if (rows) done.push(`${rows} jobs, schedules and events deleted`);
  for (const source of host.composition.declarations.migrations.filter((one) => one.owner === name))
    for (const migration of await host.database.revert({ ...source, isBuiltIn: false }, host.migrationSources()))
      done.push(`undone: ${migration}`);
  const keys = await purgeSettings(host, name);
  if (keys) done.push(`${keys} settings taken out of ${host.composition.settingsRegistry.file}`);
  return done;
}

async function purgeBlobs(host: Host, areas: readonly string[]): Promise<number> {
  let count = 0;
  for (const name of areas) {
    const area = host.get(storageRef).area(name);
    for await (const { key } of area.list()) {
      await area.delete(key);
      count++;
    }
  }
  return count;
}

async function purgeRows({ database, composition }: Host, name: string): Promise<number> {
  const { jobs, provided } = composition.declarations;
  const jobNames = [...jobs.values()].filter((one) => one.owner === name).map((one) => one.job.id);
  const events = [...provided.values()].filter(({ owner, ref }) => owner === name && ref.kind === 'event');
  const eventNames = events.map(({ ref }) => ref.id);
  if ((await database.migrationOwners()).length === 0) return 0;
  return database.write(async () => {
    const knex = database.knex();
    const mine = `${name}/%`;
    // Deliveries to others go with their event: who sent it is gone.
    return (
      (await knex('event_delivery').where('subscriber', 'like', mine).delete()) +
      (await knex('event_subscriber').where('subscriber', 'like', mine).delete()) +
      (await knex('event').whereIn('name', eventNames).delete()) +
      (await knex('schedule').where('name', 'like', mine).delete()) +
      (await knex('job').whereIn('name', jobNames).delete())
    );
  });
}

async function purgeSettings({ composition: { settingsRegistry } }: Host, name: string): Promise<number> {
  if (!existsSync(settingsRegistry.file)) return 0;
  const mine = new Set(
    settingsRegistry.declared
      .filter((one) => one.owner === name)
      .map((one) => `${one.section} ${one.key.toUpperCase()}`),
  );
  const left = withoutKeys(
    await readFile(settingsRegistry.file, 'utf8'),
    (section, key) => mine.has(`${section} ${key}`) || mine.has(`${section} ${key.replace(/_URI$/, '')}`),
  );
  if (left.removed === 0) return 0;
  await writeFile(`${settingsRegistry.file}.new`, left.text, {
    mode: (await stat(settingsRegistry.file)).mode & 0o777,
  });
  await rename(`${settingsRegistry.file}.new`, settingsRegistry.file);
  return left.removed;
}
