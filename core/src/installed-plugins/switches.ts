import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BadRequest, Conflict, NotFound } from '@mortise/plugin-sdk';
import { compose, type Composition } from '../compose.js';
import type { HostOptions } from '../host.js';
import { hasEnded, thisProcess, type ProcessIdentity } from '../instance/process.js';
import { dependentsOf, isListed } from '../plugins/disabled.js';
import { forgetFailedStarts } from '../plugins/failed-starts.js';
import { knownNames } from '../plugins/known.js';
import { forgetBlocking } from '../plugins/startup-watchdog.js';
import { names, withKey, type SettingsRegistry } from '../settings/index.js';
import { openSettings } from '../settings/open.js';

const section = 'plugins';
type Key = 'ENABLED' | 'DISABLED';
interface SwitchOptions {
  /** Only finds out whether it can be done, and what would change. */
  readonly isTrial?: boolean;
}
/** No switch takes so long, in milliseconds. */
const maxLockMs = 120_000;

const composed = (options: HostOptions) =>
  compose({ ...options, logStream: 'stderr', logLevel: 'none', tolerant: true });

/** Writes plugins, and those that cannot do without them, into `[plugins] DISABLED`; gives the names that came anew. */
export const disablePlugins = (
  options: HostOptions,
  wanted: readonly string[],
  how: SwitchOptions = {},
): Promise<string[]> => withSwitchLock(options, () => disableLocked(options, wanted, how));

async function disableLocked(
  options: HostOptions,
  wanted: readonly string[],
  { isTrial = false }: SwitchOptions,
): Promise<string[]> {
  const composition = await composed(options);
  const { settingsRegistry, plugins, settings } = composition;
  const known = checkedNames(composition, wanted);
  checkWritable(settingsRegistry, 'DISABLED');
  const before = names(settings.plugins.DISABLED);
  const asked = known.filter((name) => isListed([...before, ...wanted], name));
  const dependents = dependentsOf(
    plugins.map(({ definition }) => definition),
    new Set(asked),
  );
  const added = [...wanted, ...dependents.filter((name) => !isListed(wanted, name))].filter(
    (name) => !isListed(before, name),
  );
  if (added.length > 0 && !isTrial) writeSetting(settingsRegistry.file, 'DISABLED', [...before, ...added]);
  return added;
}

/**
 * Takes plugins out of `[plugins] DISABLED`, puts them into `ENABLED` where that names the only ones, and forgets the
 * starts that they ended. Gives the names of those that were off or left out. Refused where Mortise could not start with them.
 */
export const enablePlugins = (
  options: HostOptions,
  wanted: readonly string[],
  how: SwitchOptions = {},
): Promise<string[]> => withSwitchLock(options, () => enableLocked(options, wanted, how));

async function enableLocked(
  options: HostOptions,
  wanted: readonly string[],
  { isTrial = false }: SwitchOptions,
): Promise<string[]> {
  const composition = await composed(options);
  const { settings, settingsRegistry, workDir } = composition;
  const asked = checkedNames(composition, wanted).filter((name) => isListed(wanted, name));
  const disabled = names(settings.plugins.DISABLED).filter((one) => !wanted.includes(one) && !asked.includes(one));
  const enabled = names(settings.plugins.ENABLED);
  const pattern = disabled.find((one) => asked.some((name) => isListed([one], name)));
  if (pattern !== undefined)
    throw Conflict(
      `[plugins] DISABLED of ${settingsRegistry.file} has ${pattern}: list what is to stay off there instead.`,
    );
  const missing = enabled.length > 0 ? asked.filter((name) => !enabled.includes(name)) : [];
  const choice = { DISABLED: disabled, ...(missing.length > 0 && { ENABLED: [...enabled, ...missing] }) };
  const isChanged = disabled.length < names(settings.plugins.DISABLED).length || missing.length > 0;
  if (isChanged) {
    await checkFit(options, composition, choice);
    for (const [key, value] of Object.entries(choice) as [Key, string[]][]) {
      checkWritable(settingsRegistry, key);
      if (!isTrial) writeSetting(settingsRegistry.file, key, value);
    }
  }
  const wasOff = new Set(composition.disabled.map(({ name }) => name));
  if (isTrial) return asked.filter((name) => (isChanged && wasOff.has(name)) || composition.leftOut.has(name));
  return asked.filter((name) => {
    const isForgotten = [forgetFailedStarts(workDir, name), forgetBlocking(workDir, name)].includes(true);
    return isForgotten || (isChanged && wasOff.has(name));
  });
}

/** One at a time changes the settings file: two at once would overwrite the other's change. */
async function withSwitchLock<T>(options: HostOptions, change: () => Promise<T>): Promise<T> {
  const path = join(openSettings(options).workDir, 'tmp', 'plugin-switch.lock');
  takeLock(path);
  try {
    return await change();
  } finally {
    rmSync(path, { force: true });
  }
}

function takeLock(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw BadRequest(`Plugins cannot be switched: ${(error as Error).message}`);
    if (!isAbandoned(path))
      throw Conflict(`Another process is switching plugins (lock file ${path}). Nothing was changed.`);
    rmSync(path, { force: true });
    takeLock(path);
  }
}

/** Who took the lock was killed; of another machine only the age of the lock tells. */
function isAbandoned(path: string): boolean {
  try {
    if (hasEnded(JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity)) return true;
  } catch {
    // just written, or removed
  }
  return Math.abs(Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)) > maxLockMs;
}

/** Names of all plugins; throws where a wanted name or pattern matches none of them. */
function checkedNames(composition: Composition, wanted: readonly string[]): string[] {
  const known = [...knownNames(composition)];
  const unknown = wanted.find((pattern) => !known.some((name) => isListed([pattern], name)));
  if (unknown !== undefined) throw NotFound(`There is no plugin ${unknown}.`);
  return known;
}

async function checkFit(
  options: HostOptions,
  { problems }: Composition,
  choice: Partial<Record<Key, readonly string[]>>,
): Promise<void> {
  const plugins = Object.fromEntries(Object.entries(choice).map(([key, value]) => [key, value.join(',')]));
  const after = await composed({
    ...options,
    settings: { ...options.settings, [section]: { ...options.settings?.[section], ...plugins } },
  });
  const fresh = after.problems.filter((one) => !problems.includes(one));
  if (fresh.length > 0)
    throw Conflict(['Mortise could not start with that; nothing was changed:', ...fresh].join('\n  - '));
}

function checkWritable(settingsRegistry: SettingsRegistry, key: Key): void {
  const state = settingsRegistry.stateOf(section, key);
  if (state && state.source !== 'default' && state.source !== 'file')
    throw Conflict(
      `[plugins] ${key} is set by ${state.from ?? 'the program'}, which wins over the file: set it there.`,
    );
}

function writeSetting(file: string, key: Key, value: readonly string[]): void {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw BadRequest(`The settings file ${file} cannot be read: ${(error as Error).message}`);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.draft`, withKey(text, section, key, value.join(', ')), { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}
