import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { CommitStatuses } from '@mortise/commit-status/api';
import { combineStates, type StatusState } from '@mortise/commit-status/api';
import type { IssueRowProperties } from '@mortise/issues/api';
import type { PullRequest } from '../api.js';
import type { PullReader } from '../services/pull-reader.js';
import { styleOf } from './page-context.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly reader: PullReader;
  readonly statuses: () => CommitStatuses | undefined;
}

const statusStyles: Partial<Record<StatusState, readonly [icon: string, tone: string]>> = {
  success: ['check', 'color-fg-success'],
  pending: ['dot-fill', 'color-fg-attention'],
  failure: ['x', 'color-fg-danger'],
};

/** In lists: drafts and merged ones look so, conflicts and checks are said. */
export const pullRowProperties = ({ reader, statuses }: Deps): IssueRowProperties => ({
  key: 'pulls',
  async properties(list) {
    const pulls = await reader.byIssueIds(list.filter(({ isPull }) => isPull).map(({ id }) => id));
    const all = [...pulls.values()];
    const checks = await checksOf(all, statuses());
    return new Map(
      all.map((pull) => [
        pull.issueId,
        { style: () => styleOf(pull), badge: <Badges pull={pull} state={checks.get(pull.issueId)} /> },
      ]),
    );
  },
});

/** By the id of the issue; only lists of one repository show checks, so that one look-up does. */
async function checksOf(
  pulls: readonly PullRequest[],
  statuses: CommitStatuses | undefined,
): Promise<ReadonlyMap<number, StatusState>> {
  const open = pulls.filter(({ isOpen }) => isOpen);
  const [first] = open;
  if (!statuses || !first || open.some(({ repositoryId }) => repositoryId !== first.repositoryId)) return new Map();
  const statusesByCommit = await statuses.latest(first.repositoryId, [...new Set(open.map(({ headOid }) => headOid))]);
  return new Map(
    open.flatMap(({ issueId, headOid }) => {
      const given = statusesByCommit.get(headOid);
      return given?.length ? [[issueId, combineStates(given.map(({ state }) => state))] as const] : [];
    }),
  );
}

function Badges({ pull, state }: { pull: PullRequest; state: StatusState | undefined }): VNode {
  const style = state && statusStyles[state];
  return (
    <>
      {style ? <span class={`${style[1]} mr-1`}>{icon(style[0], { label: t(`checks.state.${state!}`) })}</span> : null}
      {pull.isOpen && pull.mergeState === 'conflicts' ? (
        <span class="Label Label--danger mr-1">{t('row.conflicts')}</span>
      ) : null}
    </>
  );
}
