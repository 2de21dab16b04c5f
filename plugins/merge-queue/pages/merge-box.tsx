import type { VNode } from 'preact';
import { Csrf, PostButton, type Slot } from '@mortise/plugin-sdk';
import { MergeBoxRow, mergeStyles, type MergeStyle, type PullPageContext, type Pulls } from '@mortise/pulls/api';
import type { QueueEntry } from '../contract/merge-queue.js';
import { metByQueue, type QueueService } from '../services/queue-service.js';
import { styleOf } from '../routes/merge-queue.js';
import { branchPath } from './queue.js';
import { t } from '../texts/index.js';

interface RowProps {
  readonly own: string;
  readonly queue: string;
  readonly csrf: string;
  readonly head: string;
  readonly entry: QueueEntry | undefined;
  readonly ahead: number;
  readonly mayRemove: boolean;
  /** Ways of merging that are allowed; none: it cannot be put there. */
  readonly styles: readonly MergeStyle[];
  readonly preferred: MergeStyle;
}

function QueueRow(props: RowProps): VNode {
  const { own, queue, csrf, entry } = props;
  return (
    <MergeBoxRow
      icon="list-ordered"
      tone={entry ? 'attention' : 'muted'}
      actions={
        entry && props.mayRemove ? (
          <PostButton action={`${own}/merge-queue/remove`} csrf={csrf}>
            {t('box.remove')}
          </PostButton>
        ) : !entry && props.styles.length ? (
          <AddForm {...props} />
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

const AddForm = ({ own, csrf, head, styles, preferred }: RowProps): VNode => (
  <form method="post" action={`${own}/merge-queue/add`} class="d-flex flex-wrap gap-2">
    <Csrf token={csrf} />
    <input type="hidden" name="head" value={head} />
    <select class="form-select" name="style" aria-label={t('box.style')}>
      {styles.map((style) => (
        <option value={style} selected={style === preferred}>
          {t(`style.${style}`)}
        </option>
      ))}
    </select>
    <button class="btn btn-primary" type="submit">
      {t('box.add')}
    </button>
  </form>
);

const options: Readonly<Partial<Record<MergeStyle, string>>> = {
  merge: 'allow_merge_commits',
  rebase: 'allow_rebase',
  'rebase-merge': 'allow_rebase_explicit',
  squash: 'allow_squash_merge',
  'fast-forward-only': 'allow_fast_forward_only_merge',
};

/** The row of the merge box that says how a pull request stands to the queue of its base branch. */
export const queueRow = ({
  queue,
  pulls,
}: {
  readonly queue: QueueService;
  readonly pulls: Pulls;
}): Slot<PullPageContext> => ({
  key: 'merge-queue',
  order: 95,
  async render({ context, actor, csrf, repositoryPath }) {
    const { pull, repository } = context;
    if (!pull.isOpen || !context.context.may('read', 'code')) return null;
    const entry = await queue.of(pull.issueId);
    if (!entry && !(await queue.ruleFor(repository.id, pull.baseBranch))) return null;
    const isMember = actor.kind === 'user' && !repository.isArchived;
    const obstacles = isMember ? await pulls.blockers(context, actor) : [];
    const mayMerge = isMember && !obstacles.some(({ code }) => code === 'permission');
    const mayAdd = mayMerge && obstacles.every(({ code }) => metByQueue.includes(code));
    const config = repository.units.find(({ key }) => key === 'pulls')?.config ?? {};
    const allowed = mergeStyles.filter((style) => options[style] && config[options[style]] !== false);
    return (
      <QueueRow
        own={`${repositoryPath}/pulls/${pull.index}`}
        queue={`${repositoryPath}/queue/${branchPath(pull.baseBranch)}`}
        csrf={csrf}
        head={pull.headOid}
        entry={entry}
        ahead={entry ? await queue.ahead(entry) : 0}
        mayRemove={mayMerge || (isMember && entry?.userId === actor.id)}
        styles={mayAdd && pull.mergeState !== 'checking' ? allowed : []}
        preferred={styleOf(context)}
      />
    );
  },
});
