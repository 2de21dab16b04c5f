import type { VNode } from 'preact';
import { PostButton, type Slot } from '@mortise/plugin-sdk';
import { MergeBoxRow, type PullPageContext } from '@mortise/pulls/api';
import type { QueueEntry } from '../contract/merge-queue.js';
import type { QueueService } from '../services/queue-service.js';
import { branchPath } from './queue.js';
import { t } from '../texts/index.js';

interface RowProps {
  readonly own: string;
  readonly queue: string;
  readonly entry: QueueEntry | undefined;
  readonly ahead: number;
  readonly mayRemove: boolean;
}

function QueueRow(props: RowProps): VNode {
  const { own, queue, entry } = props;
  return (
    <MergeBoxRow
      icon="list-ordered"
      tone={entry ? 'attention' : 'muted'}
      actions={
        entry && props.mayRemove ? (
          <PostButton action={`${own}/merge-queue/remove`}>{t('box.remove')}</PostButton>
        ) : null
      }
    >
      <strong>{entry ? t('box.waiting', { position: props.ahead + 1 }) : t('box.title')}</strong>
      <p class="mb-0 color-fg-muted">
        {entry ? t('box.waitingNote') : t('box.note')} <a href={queue}>{t('box.show')}</a>
      </p>
    </MergeBoxRow>
  );
}

/** The row of the merge box that says how a pull request stands to the queue of its base branch. */
export const queueRow = ({ queue }: { readonly queue: QueueService }): Slot<PullPageContext> => ({
  key: 'merge-queue',
  order: 95,
  async render({ context, actor, repositoryPath }) {
    const { pull, repository } = context;
    if (!pull.isOpen || !context.context.may('read', 'code')) return null;
    const entry = await queue.of(pull.issueId);
    if (!entry && !(await queue.ruleFor(repository.id, pull.baseBranch))) return null;
    const isMember = actor.kind === 'user' && !repository.isArchived;
    const mayMerge = isMember && (await queue.mayMerge(context, actor));
    return (
      <QueueRow
        own={`${repositoryPath}/pulls/${pull.index}`}
        queue={`${repositoryPath}/queue/${branchPath(pull.baseBranch)}`}
        entry={entry}
        ahead={entry ? await queue.ahead(entry) : 0}
        mayRemove={mayMerge || (isMember && entry?.userId === actor.id)}
      />
    );
  },
});
