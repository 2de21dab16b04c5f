import type { Ref } from '../api.js';
import { unsettled, type RefTable, type RefTables } from './ref-table.js';

/** References of one repository, from the table in memory. */
export class References {
  constructor(
    private readonly path: string,
    private readonly tables: RefTables,
  ) {}

  table(): Promise<RefTable> {
    return this.tables.get(this.path);
  }

  /** No folder (killed between database and disk, or deleted): reads as empty. */
  async isMissing(): Promise<boolean> {
    const table = await this.table();
    return !table.version && !table.head;
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.table()).branches.length;
  }

  async state(): Promise<string | undefined> {
    const { version } = await this.table();
    return version && !version.startsWith(unsettled) ? version : undefined;
  }

  async head(): Promise<{ branch: string; ref: string; oid?: string }> {
    const table = await this.table();
    const ref = `refs/heads/${table.head}`;
    return { branch: table.head, ref, oid: table.byRef.get(ref)?.oid };
  }

  async list(prefix = 'refs/'): Promise<readonly Ref[]> {
    const table = await this.table();
    if (prefix === 'refs/heads/') return table.branches;
    if (prefix === 'refs/tags/') return table.tags;
    return prefix === 'refs/' ? table.all : table.all.filter((ref) => ref.ref.startsWith(prefix));
  }

  async find(ref: string): Promise<Ref | undefined> {
    return (await this.table()).byRef.get(ref);
  }
}
