import type { VNode } from 'preact';
import { PostButton, type Cache, type Database, type Slot } from '@mortise/plugin-sdk';
import { MergeBoxRow, type PullPageContext, type Pulls } from '@mortise/pulls/api';
import { statusNumbers } from '../../contract/states.js';
import { RunRow } from '../../models/run.js';
import { t } from '../../texts/index.js';

interface RowProps {
  readonly count: number;
  readonly repositoryPath: string;
  readonly index: number;
  readonly commit: string;
  readonly mayApprove: boolean;
}

const ApprovalRow = ({ count, repositoryPath, index, commit, mayApprove }: RowProps): VNode => (
  <MergeBoxRow
    icon="clock"
    tone="attention"
    actions={
      mayApprove ? (
        <PostButton
          action={`${repositoryPath}/actions/approve-all-checks`}
          fields={{ commit_id: commit, stay: 'on', back: `${repositoryPath}/pulls/${index}` }}
        >
          {t('run.approve')}
        </PostButton>
      ) : null
    }
  >
    <strong>{t('pull.needsApproval', { count })}</strong>
    <p class="mb-0 color-fg-muted">{t('pull.needsApprovalNote')}</p>
  </MergeBoxRow>
);

/** In the box at the end of a pull request: runs of its newest commit that wait for approval. */
export const approvalRow = (deps: {
  readonly cache: Cache;
  readonly database: Database;
  readonly pulls: Pulls;
}): Slot<PullPageContext> => {
  const { cache, database, pulls } = deps;
  // every page of a pull request asks, and hardly ever is there one
  const waiting = cache.query<number>('actions.waiting-for-approval');
  return {
    key: 'actions.approval',
    order: 31,
    async render({ context, actor, repositoryPath }) {
      const { context: repository, issue, pull } = context;
      if (!pull.isOpen || !repository.may('read', 'actions')) return null;
      const { id, isArchived } = repository.repository;
      const count = await waiting.load(`${id} ${pull.headOid}`, () =>
        database
          .query(RunRow)
          .where({ repository_id: id, status: statusNumbers.blocked })
          .where({ need_approval: true, status_sha: pull.headOid })
          .resultSize(),
      );
      if (count === 0) return null;
      const mayApprove =
        repository.may('write', 'actions') &&
        !isArchived &&
        (await pulls.qualifiedApprovers(context, [actor.id], 'actions')).has(actor.id);
      return <ApprovalRow {...{ count, repositoryPath, mayApprove }} index={issue.index} commit={pull.headOid} />;
    },
  };
};
