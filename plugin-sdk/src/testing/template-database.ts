import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { PluginDefinition } from '../plugin.js';
import type { KernelHost } from './kernel.js';

type Row = Record<string, unknown>;

/** A SQLite database, to which nobody writes. */
function copyDatabase(from: string, to: string): void {
  for (const ending of ['', '-wal']) if (existsSync(from + ending)) copyFileSync(from + ending, to + ending);
}

/**
 * Making the tables is most of a host's start. Where `MORTISE_TEST_TABLES` names a folder, they are kept there as the
 * migrations of these plugins left them, for all hosts of a run of tests.
 */
export class TemplateDatabase {
  readonly #template: string | undefined;
  readonly #database: string;
  /** Names of what a test defined by itself: another one may have the same. */
  readonly #own: readonly string[];

  constructor(
    private readonly engine: 'sqlite' | 'mysql',
    plugins: readonly (string | PluginDefinition)[],
    workDir: string,
  ) {
    const folder = process.env.MORTISE_TEST_TABLES;
    this.#database = join(workDir, 'data', 'mortise.db');
    const own = plugins.filter((one) => typeof one !== 'string');
    this.#own = own.map(({ name }) => name);
    if (!folder) return;
    const names = plugins.filter((one) => typeof one === 'string');
    for (const { requires = {}, optional = {} } of own) names.push(...Object.keys({ ...requires, ...optional }));
    const hash = createHash('sha256').update([...new Set(names)].sort().join());
    this.#template = join(folder, `${engine}-${hash.digest('hex')}`);
  }

  /** Before the host is there. */
  prepare(): void {
    const kept = this.#template;
    if (!kept || this.engine !== 'sqlite' || !existsSync(kept)) return;
    mkdirSync(dirname(this.#database), { recursive: true, mode: 0o700 });
    copyDatabase(join(kept, 'tables'), this.#database);
  }

  /** Before it starts, on an empty database. */
  async migrate(host: KernelHost): Promise<void> {
    const kept = this.#template;
    if (!kept) return;
    if (!existsSync(kept)) {
      const made = await host.migrate();
      if (!made.some((name) => this.#own.includes(name.split('/')[0]!))) await this.#save(host, kept);
    } else if (this.engine === 'mysql') {
      const sql = readFileSync(join(kept, 'tables'), 'utf8');
      await host.database.write(async () => void (await host.database.knex().raw(sql)));
    }
  }

  async #save(host: KernelHost, kept: string): Promise<void> {
    const sql = this.engine === 'mysql' ? await dump(host) : undefined;
    if (this.engine === 'mysql' && !sql) return;
    mkdirSync(dirname(kept), { recursive: true });
    const beside = mkdtempSync(`${kept}.`);
    if (sql) writeFileSync(join(beside, 'tables'), sql);
    else copyDatabase(this.#database, join(beside, 'tables'));
    try {
      renameSync(beside, kept);
    } catch {
      // another process was first
      rmSync(beside, { recursive: true });
    }
  }
}

/** All tables, and what migrations put into them, as statements; undefined where there is more than tables. */
async function dump({ database }: KernelHost): Promise<string | undefined> {
  const knex = database.knex();
  const rows = async (sql: string, values: string[] = []) => ((await knex.raw(sql, values)) as [Row[]])[0];
  const statements = ['set foreign_key_checks = 0'];
  if ((await rows('show triggers')).length > 0) return undefined;
  for (const { Table_type: type, ...named } of await rows('show full tables')) {
    if (type !== 'BASE TABLE') return undefined;
    const table = String(Object.values(named)[0]);
    const [made] = await rows('show create table ??', [table]);
    statements.push(String(made!['Create Table']));
    const kept = await knex(table).select<Row[]>();
    if (kept.length > 0) statements.push(knex(table).insert(kept).toString());
  }
  return [...statements, 'set foreign_key_checks = 1'].join(';\n');
}
