import { createHash } from 'node:crypto';
import { skippedRow, targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { statusStates } from '../contract/commit-status.js';
import { CommitStatusRow } from '../models/commit-status.js';
import { PositionRow } from '../models/position.js';

const repositories = 'repositories.repositories';
const maxSha = 64;

const statuses: TableMapping = {
  id: 'commit-status.statuses',
  table: 'commit_status',
  idTable: CommitStatusRow,
  references: { repository_id: repositories, creator_id: { to: 'accounts.users', fallback: 0 } },
  // made anew
  ignored: ['context_hash'],
  map(row) {
    const state = statusStates.find((known) => known === row.text('state'));
    if (!state) return skippedRow(`the state ${row.text('state', maxSha)} is not known`);
    const context = row.text('context');
    return targetRow(CommitStatusRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      sha: row.text('sha', maxSha),
      position: row.number('index'),
      state,
      context,
      context_hash: createHash('sha1').update(context).digest('hex'),
      description: row.text('description'),
      target_url: row.text('target_url'),
      creator_id: row.number('creator_id'),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix') || row.time('created_unix'),
    });
  },
};

const positions: TableMapping = {
  id: 'commit-status.positions',
  table: 'commit_status_index',
  idTable: PositionRow,
  references: { repository_id: repositories },
  map: (row) =>
    targetRow(PositionRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      sha: row.text('sha', maxSha),
      taken: row.number('max_index'),
    }),
};

export const tables: readonly TableMapping[] = [statuses, positions];
