import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  skippedRow,
  targetRow,
  type SourceRow,
  type StorageArea,
  type TakeoverContext,
  type TableMapping,
} from '@mortise/plugin-sdk';
import { AttachmentRow } from '../models/attachment.js';
import { storageKey } from '../services/attachment-store.js';

const maxName = 255;

interface AttachmentOrigin {
  readonly id: string;
  /** Kind of what the files belong to here. */
  readonly kind: string;
  readonly ownerId: (row: SourceRow) => number;
  readonly filter: (row: SourceRow) => boolean;
  readonly references: TableMapping['references'];
  /** Why a row cannot come. */
  fault?(row: SourceRow): string | undefined;
}

const uuidOf = (row: SourceRow): string | undefined =>
  /^[\w-]{2,36}$/.test(row.text('uuid')) ? row.text('uuid').toLowerCase() : undefined;

const fileOf = (uuid: string, context: TakeoverContext): string =>
  join(context.folder('attachments'), uuid.slice(0, 1), uuid.slice(1, 2), uuid);

const sizeOf = async (row: SourceRow, file: string): Promise<number> =>
  row.has('size') ? row.number('size') : ((await stat(file).catch(() => undefined))?.size ?? 0);

/** Who sees a file is decided by the repository of what it belongs to, whatever the file says. */
function repositoryOf(row: SourceRow): number {
  const [owner] = row.number('release_id') ? row.related('release') : row.related('issue');
  return owner?.number('repo_id') || row.number('repo_id');
}

/** Files of one kind of owner, with their contents. */
const attachmentTable = (area: () => StorageArea, origin: AttachmentOrigin): TableMapping => ({
  id: origin.id,
  table: 'attachment',
  idTable: AttachmentRow,
  version: 2,
  references: {
    repository_id: 'repositories.repositories',
    uploader_id: { to: 'accounts.users', fallback: 0 },
    ...origin.references,
  },
  related: {
    issue: { table: 'issue', column: 'id', localColumn: 'issue_id', columns: ['repo_id'] },
    release: { table: 'release', column: 'id', localColumn: 'release_id', columns: ['repo_id'] },
  },
  filter: origin.filter,
  async map(row, context) {
    const uuid = uuidOf(row);
    if (!uuid) return skippedRow('its number is not one that files have here');
    const fault = origin.fault?.(row);
    if (fault) return skippedRow(fault);
    const file = fileOf(uuid, context);
    return targetRow(AttachmentRow, {
      id: row.number('id'),
      kind: origin.kind,
      owner_id: origin.ownerId(row),
      repository_id: repositoryOf(row),
      uploader_id: row.number('uploader_id'),
      uuid,
      name: row.text('name', maxName),
      size: await sizeOf(row, file),
      sha256: (await context.fileDigest(file)) ?? '',
      external_url: '',
      download_count: row.number('download_count'),
      created_at: row.time('created_unix'),
    });
  },
  async copyFiles(row, context) {
    const uuid = uuidOf(row);
    if (uuid) await context.storeFile(fileOf(uuid, context), area(), storageKey({ kind: origin.kind, uuid }));
  },
});

export const tables = (area: () => StorageArea): readonly TableMapping[] => [
  attachmentTable(area, {
    id: 'attachments.files_of_issues',
    kind: 'issues',
    ownerId: (row) => row.number('issue_id'),
    // of what was never sent as well
    filter: (row) => !row.number('release_id') && !row.number('comment_id'),
    references: { owner_id: 'issues.issues' },
    fault: (row) => (row.number('issue_id') ? undefined : 'it belongs to nothing'),
  }),
  attachmentTable(area, {
    id: 'attachments.files_of_comments',
    kind: 'comments',
    ownerId: (row) => row.number('comment_id'),
    filter: (row) => row.number('comment_id') > 0,
    references: { owner_id: 'issues.comments' },
  }),
  attachmentTable(area, {
    id: 'attachments.files_of_releases',
    kind: 'releases',
    ownerId: (row) => row.number('release_id'),
    filter: (row) => row.number('release_id') > 0,
    references: { owner_id: 'releases.releases' },
  }),
];
