import { chmod, stat } from 'node:fs/promises';
import type { Finding } from '@mortise/plugin-sdk';
import { checkContents } from './doctor/contents.js';
import { checkReferences } from './doctor/references.js';
import { checkLocks, checkMissingSubscribers, retryDeadLettered } from './doctor/queues.js';
import { checkSecretFile, checkSecretOfDatabase, noteSecret } from './doctor/secret.js';
import { forgetMigrations, findSchemaProblems } from './database/schema-check.js';
import { findOrphanedData } from './installed-plugins/orphaned-data.js';
import type { ManagedSite } from './settings/site.js';
import type { PluginErrors } from './plugin-errors/index.js';
import { summarizeErrors } from './plugin-errors/report.js';
import type { Composition } from './compose.js';
import type { KernelDatabase, MigrationSource, ManagedStorage } from './contracts.js';

export interface NamedFinding extends Finding {
  /** Plugin and check that found it, for instance `mail: server`. */
  readonly check: string;
}

interface DoctorContext {
  readonly composition: Composition;
  readonly site: ManagedSite;
  readonly database: KernelDatabase;
  readonly storage: ManagedStorage;
  readonly pluginErrors: PluginErrors;
  readonly sources: readonly MigrationSource[];
  readonly fix: boolean;
  readonly deep: boolean;
}

/** Looks at the whole installation: kernel first, then health checks and doctors of the plugins, in their order. */
export async function* examine(context: DoctorContext): AsyncIterable<NamedFinding> {
  const { composition, fix, deep } = context;
  const { declarations, container, metrics } = composition;
  for (const text of composition.settingsRegistry.warnings) yield { check: 'core: settings', level: 'warning', text };
  // First: much of what follows derives its own secret from it.
  let isSecretNew = false;
  let isSecretLost = false;
  for (const finding of checkSecretFile(composition.workDir, composition.settings.secret.SECRET_KEY !== '', fix)) {
    isSecretNew ||= finding.level === 'error' && finding.fixed === true;
    isSecretLost ||= finding.level === 'error' && !finding.fixed;
    yield { ...finding, check: 'core: secret' };
  }
  if (isSecretLost) context.site.useTemporarySecret();
  yield await attempt('core: database', 'the database answers', () => context.database.ping());
  yield await privacy(context);
  const upToDate = yield* migrations(context);
  const gone = await findOrphanedData(composition, context.database, context.sources);
  if (gone.plugins.length > 0)
    yield {
      check: 'core: leftovers',
      level: 'warning',
      text: `data of plugins that are not here any more (${gone.plugins.join(', ')}); tables that nobody uses: ${gone.tables.join(', ') || 'none'}; add the plugin again, and mortise plugins remove NAME --purge takes its data along`,
    };
  for (const [plugin, why] of composition.leftOut)
    yield { check: `${plugin}: plugin`, level: 'error', text: `${why}; the site goes on without it` };
  yield await attempt('core: storage', 'blobs can be written and read', () => context.storage.check());

  yield* pluginErrors(context);
  if (!upToDate) return; // the other checks look into tables that are not there
  yield* schema(context);
  if (isSecretNew) await noteSecret(context.database, context.site);
  if (!isSecretLost) yield* named('core: secret', checkSecretOfDatabase(context.database, context.site, fix));
  yield* named('core: locks', checkLocks(context.database, fix));
  yield* named('core: rows', checkReferences(composition));
  if (deep) yield* named('core: contents', checkContents(composition, context.storage));
  yield* named('core: events', checkMissingSubscribers(composition, context.database, fix));
  if (fix) {
    for (const finding of await retryDeadLettered(composition, context.database))
      yield { ...finding, check: 'core: queues' };
    await context.pluginErrors.forget();
  }
  for (const { owner, id, dependencies, check } of declarations.healthChecks) {
    yield await attempt(`${owner}: ${id}`, 'well', () =>
      metrics.call(owner, `health check ${id}`, () => check(container.resolve(dependencies, owner))),
    );
  }
  for (const { owner, id, dependencies, check } of declarations.doctors) {
    const name = `${owner}: ${id}`;
    try {
      let said = false;
      for await (const finding of check(container.resolve(dependencies, owner), { fix, deep })) {
        said = true;
        yield { ...finding, check: name };
      }
      if (!said) yield { check: name, level: 'ok', text: 'well' };
    } catch (error) {
      yield { check: name, level: 'error', text: `the check itself failed: ${(error as Error).message}` };
    }
  }
}

/** What the check itself does not survive is a finding too, and the next checks go on. */
async function* named(check: string, findings: AsyncIterable<Finding>): AsyncGenerator<NamedFinding> {
  try {
    for await (const finding of findings) yield { ...finding, check };
  } catch (error) {
    yield { check, level: 'error', text: `the check itself failed: ${(error as Error).message}` };
  }
}

/** Nobody else on the machine may look into the work folder; what lies below need not be asked then. */
async function privacy({ composition, fix }: DoctorContext): Promise<NamedFinding> {
  const check = 'core: work folder';
  const { mode } = await stat(composition.workDir);
  if ((mode & 0o077) === 0) return { check, level: 'ok', text: 'only this user may look into it' };
  if (fix) await chmod(composition.workDir, 0o700);
  return {
    check,
    level: 'warning',
    text: `other users of this machine may look into ${composition.workDir}; chmod 700 keeps them out`,
    ...(fix ? { fixed: true } : {}),
  };
}

async function* migrations({ database, sources, fix }: DoctorContext): AsyncGenerator<NamedFinding, boolean> {
  const check = 'core: migrations';
  const newer = await database.newerMigrations(sources);
  if (newer !== undefined) {
    yield { check, level: 'error', text: newer };
    return false;
  }
  const pending = await database.pendingMigrations(sources);
  if (pending.length === 0) yield { check, level: 'ok', text: 'the tables are up to date' };
  else if (fix)
    yield { check, level: 'warning', text: `applied ${(await database.migrate(sources)).join(', ')}`, fixed: true };
  else yield { check, level: 'error', text: `not applied yet: ${pending.join(', ')}; run mortise migrate` };
  return pending.length === 0 || fix;
}

/** What went wrong in plugins; before there are tables, nothing has. */
async function* pluginErrors({ composition, database, pluginErrors }: DoctorContext): AsyncGenerator<NamedFinding> {
  if (!(await database.knex().schema.hasTable('plugin_fault'))) return;
  for (const { plugin, text } of await summarizeErrors(composition, database, pluginErrors))
    yield { check: `${plugin}: faults`, level: 'warning', text };
}

/** Is everything there that the applied migrations made? Tables can be lost, and so can what a plugin had of them. */
async function* schema({ database, sources, fix }: DoctorContext): AsyncGenerator<NamedFinding> {
  try {
    const forgotten = new Set<string>();
    for (const { owner, text, isForgettable } of await findSchemaProblems(database, sources)) {
      const fixed = fix && isForgettable;
      if (fixed && !forgotten.has(owner)) await forgetMigrations(database, owner);
      if (fixed) forgotten.add(owner);
      yield { check: `${owner}: tables`, level: 'error', text, ...(fixed && { fixed }) };
    }
    if (forgotten.size > 0) await database.migrate(sources);
  } catch (error) {
    yield { check: 'core: tables', level: 'error', text: `the check itself failed: ${(error as Error).message}` };
  }
}

async function attempt(check: string, good: string, work: () => Promise<void>): Promise<NamedFinding> {
  try {
    await work();
    return { check, level: 'ok', text: good };
  } catch (error) {
    return { check, level: 'error', text: (error as Error).message };
  }
}
