import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { RestorePoint } from '../backup/format.js';
import type { Retention } from '../backup/retention.js';
import type { HostOptions } from '../host.js';
import { withExample } from './plugin-commands.js';

const quiet = { logStream: 'stderr', logLevel: 'warn' } as const;

interface RetentionOptions {
  keep?: string;
  keepDaily?: string;
  keepWeekly?: string;
  keepMonthly?: string;
}

/** What is wrong with a back-up that was just made, in words; then the command exits with 1. */
export function faultsOf({ faults = [] }: RestorePoint): string[] {
  if (faults.length === 0) return [];
  process.exitCode = 1;
  return [...faults.map((fault) => `✖ ${fault}`), `${faults.length} faults: this back-up does not hold everything`];
}

/** What a point holds, in one line. */
export function summaryOf({ at, tables, areas, units, engine }: RestorePoint): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `the state of ${new Date(at).toISOString()}`,
    `${rows} rows in ${tables.length} tables (${engine})`,
    ...Object.keys(units),
    `storage areas: ${Object.keys(areas).join(', ') || 'none'}`,
  ].join('; ');
}

/** `mortise backup FOLDER`, and what can be done with such a folder. */
export function backupCommand(program: Command, options: () => HostOptions): void {
  const backup = program.command('backup').description('Incremental back-ups of the running server');
  withExample(backup, 'backup create /srv/back-ups --keep-daily 7');

  withRetention(
    backup
      .command('create <folder>', { isDefault: true })
      .description('Add a back-up to the folder: all at first, afterwards what has changed; the server may go on')
      .option('--without-areas <names>', 'storage areas that are left out, separated by commas; * for all'),
  ).action(async (path: string, given: RetentionOptions & { withoutAreas?: string }) => {
    const retention = retentionOf(given);
    const { createBackup } = await import('../backup/create.js');
    const { BackupFolder } = await import('../backup/folder.js');
    const { noteBackup } = await import('../backup/last-backup.js');
    const { prune } = await import('../backup/retention.js');
    const { createHost } = await import('../host.js');
    const host = await createHost({ ...options(), ...quiet });
    try {
      const folder = await BackupFolder.make(resolve(path));
      const point = await createBackup(host, folder, { withoutAreas: list(given.withoutAreas) });
      await noteBackup(host.composition.workDir);
      console.log(`${point.id}: ${summaryOf(point)}`);
      for (const line of [...faultsOf(point), ...point.notes]) console.log(line);
      console.log(`${folder.store.written} bytes were new`);
      if (retention) printPruned(await folder.locked(() => prune(folder, retention)));
    } finally {
      await host.stop();
    }
  });

  backup
    .command('list <folder>')
    .description('List the back-ups of the folder')
    .action(async (path: string) => {
      const { BackupFolder } = await import('../backup/folder.js');
      for (const point of await (await BackupFolder.open(resolve(path))).points())
        console.log(`${point.id}: ${summaryOf(point)}`);
    });

  backup
    .command('verify <folder>')
    .description('Read everything back and compare it with what was written')
    .option('--point <id>', 'only this back-up')
    .option('--quick', 'only look whether everything is there')
    .option('--remove-damaged', 'remove damaged content, so that the next back-up writes it anew')
    .action(async (path: string, given: { point?: string; quick?: boolean; removeDamaged?: boolean }) => {
      const { BackupFolder } = await import('../backup/folder.js');
      const { verify, removeCorrupt } = await import('../backup/verify.js');
      const folder = await BackupFolder.open(resolve(path));
      const points = given.point ? [await folder.point(given.point)] : await folder.points();
      const { objects, faults } = await verify(folder, points, { quick: given.quick });
      for (const fault of faults) console.log(`✖ ${fault}`);
      if (given.removeDamaged) console.log(`removed: ${await folder.locked(() => removeCorrupt(folder))}`);
      console.log(
        faults.length
          ? `${faults.length} faults`
          : `no faults found in ${points.length} back-ups with ${objects} contents`,
      );
      if (faults.length) process.exitCode = 1;
    });

  withRetention(backup.command('prune <folder>').description('Remove old back-ups and what only they need')).action(
    async (path: string, given: RetentionOptions) => {
      const { BackupFolder } = await import('../backup/folder.js');
      const { prune } = await import('../backup/retention.js');
      const folder = await BackupFolder.open(resolve(path));
      const retention = retentionOf(given);
      if (!retention) throw new Error('specify what to keep: --keep, --keep-daily, --keep-weekly or --keep-monthly');
      printPruned(await folder.locked(() => prune(folder, retention)));
    },
  );
}

const withRetention = (command: Command): Command =>
  command
    .option('--keep <n>', 'keep the newest n back-ups')
    .option('--keep-daily <n>', 'keep the newest of each of n days')
    .option('--keep-weekly <n>', 'keep the newest of each of n weeks')
    .option('--keep-monthly <n>', 'keep the newest of each of n months');

function retentionOf({ keep, keepDaily, keepWeekly, keepMonthly }: RetentionOptions): Retention | undefined {
  const given = { last: keep, daily: keepDaily, weekly: keepWeekly, monthly: keepMonthly };
  const entries = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (entries.length === 0) return undefined;
  for (const [, text] of entries) if (!/^\d{1,6}$/.test(text)) throw new Error(`"${text}" is not a number of back-ups`);
  return Object.fromEntries(entries.map(([name, text]) => [name, Number(text)]));
}

const list = (text: string | undefined) => text?.split(/[\s,]+/).filter(Boolean);
const printPruned = ({ points, contents }: { points: number; contents: number }) =>
  console.log(`${points} old back-ups and ${contents} contents were removed`);
