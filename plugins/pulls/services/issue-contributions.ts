import { Conflict, Problem } from '@mortise/plugin-sdk';
import {
  timeOrNull,
  type CloseCheck,
  type IssueModelFields,
  type Issues,
  type TimelineKind,
} from '@mortise/issues/api';
import type { Repositories } from '@mortise/repositories/api';
import { openKeyOf } from '../models/pull.js';
import type { PullReader } from './pull-reader.js';
import type { PullSyncer } from './pull-syncer.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly reader: PullReader;
  readonly issues: Issues;
  readonly repositories: Repositories;
}

/** `pull_request` of the model `Issue`. */
export const issueMeta = ({ reader, issues, repositories }: Deps): IssueModelFields => ({
  key: 'pulls',
  async fields(list) {
    const pulls = list.filter(({ isPull }) => isPull);
    if (!pulls.length) return new Map();
    const [rows, repositoriesById] = await Promise.all([
      reader.byIssueIds(pulls.map(({ id }) => id)),
      repositories.byIds(pulls.map(({ repositoryId }) => repositoryId)),
    ]);
    return new Map(
      pulls.flatMap((issue) => {
        const row = rows.get(issue.id);
        const repository = repositoriesById.get(issue.repositoryId);
        if (!row || !repository) return [];
        const meta = {
          merged: row.isMerged,
          merged_at: timeOrNull(row.mergedAt),
          draft: row.isDraft,
          html_url: issues.htmlUrl(repository, issue),
        };
        return [[issue.id, { pull_request: meta }] as const];
      }),
    );
  },
});

/** Kinds of entries of the timeline that pull requests make. */
export const pullKinds: readonly TimelineKind[] = [
  { key: 'pull_push' },
  { key: 'merge_pull' },
  { key: 'pull_scheduled_merge' },
  { key: 'pull_cancel_scheduled_merge' },
  {
    key: 'delete_branch',
    fields: (entries) => Promise.resolve(new Map(entries.map(({ id, data }) => [id, { old_ref: data.oldRef ?? '' }]))),
  },
  {
    key: 'change_target_branch',
    fields: (entries) =>
      Promise.resolve(
        new Map(entries.map(({ id, data }) => [id, { old_ref: data.oldRef ?? '', new_ref: data.newRef ?? '' }])),
      ),
  },
];

/** 412, as clients of the REST surface know it. */
const Unready = (message: ConstructorParameters<typeof Problem>[1]) => new Problem('precondition_failed', message);

/** What is merged stays closed, and what lost its head cannot go on; of those between two branches one is open. */
export const reopenCheck = ({
  reader,
  syncer,
}: {
  readonly reader: PullReader;
  readonly syncer: PullSyncer;
}): CloseCheck => ({
  key: 'pulls',
  check: () => Promise.resolve(),
  async reopen(issue) {
    const pull = issue.isPull ? await reader.fresh(issue.id) : undefined;
    if (!pull) return;
    if (pull.isMerged) throw Unready(t.later('error.reopenMerged'));
    if (!(await syncer.tip(pull))) throw Unready(t.later('error.reopenHead'));
    if (await reader.between(openKeyOf(pull))) throw Conflict(t.later('error.exists'));
  },
});
