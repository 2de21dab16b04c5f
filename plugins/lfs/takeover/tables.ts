import { join } from 'node:path';
import { skippedRow, targetRow, type StorageArea, type TableMapping } from '@mortise/plugin-sdk';
import { isLfsOid, isLfsSize } from '../contract/lfs.js';
import { LockRow, pathKeyOf } from '../models/lock.js';
import { ObjectRow } from '../models/object.js';
import { objectKey } from '../services/object-service.js';

const repositories = 'repositories.repositories';

const objects = (area: () => StorageArea): TableMapping => ({
  id: 'lfs.objects',
  table: 'lfs_meta_object',
  idTable: ObjectRow,
  references: { repository_id: repositories },
  map(row) {
    const [oid, size] = [row.text('oid'), row.number('size')];
    if (!isLfsOid(oid) || !isLfsSize(size)) return skippedRow('it is no pointer of LFS');
    return targetRow(ObjectRow, {
      id: row.number('id'),
      repository_id: row.number('repository_id'),
      oid,
      size,
      created_at: row.time('created_unix'),
      seen_at: row.time('updated_unix') || row.time('created_unix'),
    });
  },
  async copyFiles(row, context) {
    const oid = row.text('oid');
    const path = join(context.folder('lfs'), oid.slice(0, 2), oid.slice(2, 4), oid.slice(4));
    await context.storeFile(path, area(), objectKey(oid));
  },
});

/** `2026-11-28 15:41:34` in UTC, in whatever form of ISO 8601 the database gives it; 0 where it is none. */
function timeOf(text: string): number {
  const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(time) ? 0 : time;
}

const fileLocks: TableMapping = {
  id: 'lfs.locks',
  table: 'lfs_lock',
  idTable: LockRow,
  references: { repository_id: repositories, owner_id: 'accounts.users' },
  map: (row) =>
    targetRow(LockRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      owner_id: row.number('owner_id'),
      path: row.text('path'),
      path_key: pathKeyOf(row.text('path')),
      created_at: timeOf(row.text('created')),
    }),
};

export const tables = (area: () => StorageArea): readonly TableMapping[] => [objects(area), fileLocks];
