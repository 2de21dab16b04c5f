import { lstat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import {
  skippedRow,
  targetRow,
  type SourceRow,
  type StorageArea,
  type TakeoverContext,
  type TableMapping,
} from '@mortise/plugin-sdk';
import { ArtifactRow, artifactStatus } from '../models/artifact.js';
import { locationHash } from '../services/artifact-names.js';

/** By which the other server knows an artifact that is one whole. */
const zip = 'application/zip';

const keyOf = (row: SourceRow): string => {
  const id = row.number('id');
  return `${(id % 256).toString(16).padStart(2, '0')}/${id}/takeover`;
};

/** Where its content lies there; undefined: it has none. */
async function fileOf(row: SourceRow, context: TakeoverContext): Promise<string | undefined> {
  const path = normalize(row.text('storage_path'));
  if (row.number('status') !== artifactStatus.confirmed || path === '.' || path.startsWith('..')) return undefined;
  const file = join(context.folder('actions_artifacts'), path);
  const isFile = await lstat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (isFile) return file;
  context.report(`the artifact ${row.number('id')} cannot be read`);
  return undefined;
}

function contentColumns(row: SourceRow) {
  const encoding = row.text(row.has('content_encoding') ? 'content_encoding' : 'content_encoding_or_type');
  const isWhole = encoding === zip || encoding.includes('/');
  const name = row.text('artifact_name', 255);
  const path = isWhole ? '' : row.text('artifact_path', 1000);
  return {
    name,
    path,
    place_hash: locationHash(name, path),
    content_type: isWhole ? encoding : '',
    content_encoding: isWhole ? '' : encoding.slice(0, 20),
  };
}

export const tables = (area: () => StorageArea): readonly TableMapping[] => [
  {
    id: 'actions-artifacts.artifacts',
    table: 'action_artifact',
    idTable: ArtifactRow,
    references: { run_id: 'actions.runs' },
    ignored: ['runner_id', 'owner_id'],
    async map(row, context) {
      const status = row.number('status');
      if (status !== artifactStatus.confirmed && status !== artifactStatus.expired)
        return skippedRow('it was not uploaded completely, or deleted');
      const file = await fileOf(row, context);
      const runId = row.number('run_id');
      return targetRow(ArtifactRow, {
        id: row.number('id'),
        run_id: runId,
        run_attempt_id: row.has('run_attempt_id') ? row.number('run_attempt_id') : runId,
        repository_id: row.number('repo_id'),
        commit_sha: row.text('commit_sha'),
        ...contentColumns(row),
        status: file ? artifactStatus.confirmed : artifactStatus.expired,
        size: row.number('file_size'),
        stored_size: row.number('file_compressed_size'),
        key: file ? keyOf(row) : '',
        upload_id: 0,
        created_at: row.time('created_unix'),
        updated_at: row.time('updated_unix'),
        expires_at: row.time('expired_unix'),
      });
    },
    async copyFiles(row, context) {
      const file = await fileOf(row, context);
      if (file) await context.storeFile(file, area(), keyOf(row));
    },
  },
];
