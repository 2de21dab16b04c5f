import { Forbidden, type Database } from '@mortise/plugin-sdk';
import type { RefCheck } from '@mortise/git/api';
import { MergeGroupRefRow } from '../models/merge-group-ref.js';
import { t } from '../texts/index.js';
import { mergeGroupPrefix } from './queue-runner.js';

/** Branches of candidates are moved and deleted by the queue alone, which asks no checks. Others of such a name are not concerned. */
export const mergeGroupBranches = (database: Database): RefCheck => ({
  key: 'merge-queue',
  async check({ repositoryId, kind, updates }) {
    const moved = updates.map(({ ref }) => ref).filter((ref) => ref.startsWith(mergeGroupPrefix));
    if (kind !== 'code' || moved.length === 0) return;
    const rows = await database.query(MergeGroupRefRow).select('ref').where('repository_id', repositoryId);
    const own = new Set(rows.map(({ ref }) => ref));
    const ownRef = moved.find((ref) => own.has(ref));
    if (ownRef) throw Forbidden(t.later('error.candidate', { branch: ownRef.replace('refs/heads/', '') }));
  },
});
