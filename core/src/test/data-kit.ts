import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Logger } from '@mortise/plugin-sdk';
import { kernelMigrations } from '@mortise/core-migrations';
import { createBroker, redisSettings } from '../broker/index.js';
import type { ManagedBroker, CallPlugin, KernelDatabase } from '../contracts.js';
import { createDatabase, databaseSettings, type DatabaseSettings } from '../database/index.js';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export function recordingLog(lines: LogLine[] = []): Logger & { lines: LogLine[] } {
  const at = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push({ level, message, fields });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export const plainCall: CallPlugin = (_owner, _what, call) => call();

export interface TestDatabase {
  readonly database: KernelDatabase;
  readonly log: ReturnType<typeof recordingLog>;
  readonly settings: DatabaseSettings;
  readonly workDir: string;
  readonly broker: ManagedBroker;
  /** A second process's view: another connection to the same data. */
  another(): Promise<KernelDatabase>;
  close(): Promise<void>;
}

/** Does the system tell which processes there are (proc(5))? */
export const knowsProcesses = existsSync('/proc/self/ns/pid');

/** What a process that has ended wrote beside its leases. */
export function goneOwner(): string {
  const { href } = new URL('../leases.js', import.meta.url);
  const script = `import { leaseOwner } from ${JSON.stringify(href)}; process.stdout.write(leaseOwner());`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout;
}

/** A moment that no test sees. */
export const inAnHour = () => Date.now() + 3_600_000;

export const kernelSource = [{ owner: 'core', folder: kernelMigrations }];

const mysqlAddress = process.env.MORTISE_TEST_MYSQL;

async function open(
  overrides: Partial<DatabaseSettings>,
  cleanup: (database: KernelDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const workDir = await mkdtemp(join(tmpdir(), 'mortise-data-'));
  const settings = databaseSettings.validate(overrides).value as DatabaseSettings;
  const log = recordingLog();
  const database = await createDatabase({ settings, workDir, log });
  await database.migrate(kernelSource);
  const broker = await createBroker({ settings: redisSettings.validate({}).value, log });
  const others: KernelDatabase[] = [];
  return {
    database,
    log,
    settings,
    workDir,
    broker,
    async another() {
      const other = await createDatabase({ settings, workDir, log });
      others.push(other);
      return other;
    },
    async close() {
      await broker.close();
      for (const other of others) await other.close();
      await cleanup(database);
      await database.close();
      await rm(workDir, { recursive: true, force: true });
    },
  };
}

/** The engines to test on: SQLite, and MySQL or MariaDB when MORTISE_TEST_MYSQL names a server. */
export const engines: readonly { name: string; open(overrides?: Partial<DatabaseSettings>): Promise<TestDatabase> }[] =
  [
    { name: 'SQLite', open: (overrides = {}) => open({ DB_TYPE: 'sqlite3', ...overrides }, async () => undefined) },
    ...(mysqlAddress
      ? [
          {
            name: 'MySQL',
            open: (overrides: Partial<DatabaseSettings> = {}) => {
              const { username, password, host } = new URL(mysqlAddress);
              const NAME = `mortise_test_${randomBytes(6).toString('hex')}`;
              return open(
                {
                  DB_TYPE: 'mysql',
                  HOST: host,
                  USER: username,
                  PASSWD: decodeURIComponent(password),
                  NAME,
                  ...overrides,
                },
                async (database) => {
                  await database.write(async () => void (await database.knex().raw(`drop database ${NAME}`)));
                },
              );
            },
          },
        ]
      : []),
  ];

export async function until(what: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; !(await what());) {
    if (Date.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The version of the data once nothing was written for a second and more, in which this process did not stand still. */
export async function restingVersion(database: KernelDatabase): Promise<number | undefined> {
  let version: number | undefined;
  for (let looks = 0; looks < 4; looks++) {
    await database.syncVersions();
    if (database.dataVersion() !== version) looks = 0;
    version = database.dataVersion();
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  return version;
}

/** What another process commits is seen in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
