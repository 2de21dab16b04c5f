import { resolve } from 'node:path';
import type { Host } from '../host.js';
import type { RowSource, RowTarget } from './tables.js';

export async function openSource({
  composition: { settings, workDir },
}: Pick<Host, 'composition'>): Promise<RowSource> {
  if (settings.database.DB_TYPE === 'mysql')
    return (await import('./rows-mysql.js')).openMysqlSource(settings.database);
  return (await import('./rows-sqlite.js')).openSqliteSource(resolve(workDir, settings.database.PATH));
}

export async function openTarget({ composition: { settings, workDir } }: Host): Promise<RowTarget> {
  if (settings.database.DB_TYPE === 'mysql')
    return (await import('./rows-mysql.js')).openMysqlTarget(settings.database);
  return (await import('./rows-sqlite.js')).openSqliteTarget(resolve(workDir, settings.database.PATH));
}
