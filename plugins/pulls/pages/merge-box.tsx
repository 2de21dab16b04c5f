import type { VNode } from 'preact';
import { Ago, CopyBlock, LazyFragment, PostButton, shellQuote, textOf, type Slot } from '@mortise/plugin-sdk';
import type { IssuePageContext } from '@mortise/issues/api';
import { MergeBoxRow, type MergeBlocker, type PullContext, type PullPageContext } from '../api.js';
import { ChecksRow } from './checks.js';
import { readMergeStatus, type MergeStatus } from './merge-status.js';
import { MergeMethods } from './merge-methods.js';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

export interface MergeBoxProps {
  readonly context: PullContext;
  readonly status: MergeStatus;
  /** Path of the pull request's page. */
  readonly own: string;
  readonly repositoryPath: string;
  readonly path: (path: string) => string;
  /** Of the address that others clone. */
  readonly rows: readonly { readonly order: number; readonly node: VNode }[];
}

/** What stands at the end of the conversation: what is missing, and what can be done. */
function MergeBox(props: MergeBoxProps): VNode {
  const { context, status, rows } = props;
  const { pull } = context;
  const before = rows.filter(({ order }) => order < 30);
  const after = rows.filter(({ order }) => order >= 30);
  return (
    <section class="pull-merge mt-3 mb-3" id="merge-box" aria-label={t('box.title')}>
      <ul class="Box list-style-none">
        <StateRow {...props} />
        {before.map(({ node }) => node)}
        {status.checks.length || status.missingChecks.length ? (
          <ChecksRow checks={status.checks} missing={status.missingChecks} />
        ) : null}
        {after.map(({ node }) => node)}
        {status.blockers.map((one) => (
          <BlockerRow one={one} {...props} />
        ))}
        {pull.isOpen ? <OpenRows {...props} /> : null}
      </ul>
      {pull.isOpen ? <Commands {...props} /> : null}
    </section>
  );
}

function StateRow(props: MergeBoxProps): VNode {
  const { context, status, own, repositoryPath } = props;
  const { pull } = context;
  if (pull.isMerged) {
    const commit = (
      <a class="text-mono" href={`${repositoryPath}/commit/${pull.mergeCommit}`}>
        {pull.mergeCommit.slice(0, 10)}
      </a>
    );
    const name = status.merger ? (
      <a class="text-bold Link--primary" href={props.path(`/${status.merger.name}`)}>
        {status.merger.name}
      </a>
    ) : (
      <span class="text-bold">{t('person.gone')}</span>
    );
    return (
      <MergeBoxRow
        icon="git-merge"
        tone="done"
        actions={[
          status.mayRevert ? (
            <a
              class="btn btn-sm"
              href={`${repositoryPath}/_revert/${pull.mergeCommit}/${pull.baseBranch.split('/').map(encodeURIComponent).join('/')}`}
            >
              {t('box.revert')}
            </a>
          ) : null,
          <BranchButton status={status} own={own} />,
        ]}
      >
        <strong>{t(`box.merged.${pull.mergeStyle === 'manually-merged' ? 'manual' : 'here'}`)}</strong>
        <p class="mb-0 color-fg-muted">
          {t.rich('box.mergedBy', { name, commit, when: <Ago time={pull.mergedAt} /> })}
        </p>
      </MergeBoxRow>
    );
  }
  if (!pull.isOpen)
    return (
      <MergeBoxRow icon="git-pull-request-closed" tone="danger" actions={<BranchButton status={status} own={own} />}>
        <strong>{t('box.closed')}</strong>
        <p class="mb-0 color-fg-muted">{t('box.closedNote')}</p>
      </MergeBoxRow>
    );
  if (pull.mergeState === 'checking')
    return (
      <MergeBoxRow icon="clock" tone="attention">
        <strong>{t('box.checking')}</strong>
        <p class="mb-0">
          <a href={own}>{t('box.reload')}</a>
        </p>
      </MergeBoxRow>
    );
  if (pull.mergeState === 'conflicts') return <ConflictRow {...props} />;
  if (pull.mergeState === 'broken')
    return (
      <MergeBoxRow icon="alert" tone="danger">
        <strong>{t('obstacle.broken')}</strong>
      </MergeBoxRow>
    );
  if (pull.mergeState === 'empty')
    return (
      <MergeBoxRow icon="info" tone="muted">
        <strong>{t('box.empty')}</strong>
        <p class="mb-0 color-fg-muted">{t('box.emptyNote')}</p>
      </MergeBoxRow>
    );
  return (
    <MergeBoxRow icon="check" tone="success">
      <strong>{t('box.clean')}</strong>
      <p class="mb-0 color-fg-muted">
        {status.rights.mayMerge ? t('box.cleanNote') : status.isMember ? t('obstacle.permission') : t('box.cleanRead')}
      </p>
    </MergeBoxRow>
  );
}

const BranchButton = ({ status, own }: Pick<MergeBoxProps, 'status' | 'own'>): VNode | null =>
  status.branch ? (
    <PostButton action={`${own}/branch/${status.branch}`}>
      {status.branch === 'delete' ? t('box.deleteBranch') : t('box.restoreBranch')}
    </PostButton>
  ) : null;

const ConflictRow = ({ context: { pull, context }, own }: MergeBoxProps): VNode => (
  <MergeBoxRow
    icon="alert"
    tone="danger"
    actions={
      context.may('read', 'code') && pull.conflicts.length ? (
        <a class="btn btn-sm" href={`${own}/conflicts`}>
          {t('conflicts.show')}
        </a>
      ) : null
    }
  >
    <strong>{t('obstacle.conflicts')}</strong>
    <p class="mb-1 color-fg-muted">{t('box.conflictsNote', { count: pull.conflicts.length })}</p>
    {context.may('read', 'code') ? (
      <ul class="pull-conflicts">
        {pull.conflicts.map((path) => (
          <li>
            <code class="wb-break-all">{path}</code>
          </li>
        ))}
      </ul>
    ) : null}
  </MergeBoxRow>
);

/** What the row of the state says already is not said twice. */
const shownByState = ['conflicts', 'broken', 'merged', 'closed'];

function BlockerRow({ one, status, own, repositoryPath }: MergeBoxProps & { one: MergeBlocker }): VNode | null {
  if (shownByState.includes(one.code)) return null;
  const isDraft = one.code === 'draft';
  return (
    <MergeBoxRow
      icon={isDraft ? 'git-pull-request-draft' : one.code === 'permission' ? 'lock' : 'x'}
      tone={isDraft || one.code === 'permission' ? 'muted' : 'danger'}
      actions={
        isDraft && status.mayEdit ? (
          <PostButton action={`${own}/draft`} fields={{ draft: '0' }}>
            {t('box.ready')}
          </PostButton>
        ) : null
      }
    >
      <strong>{textOf(one.message)}</strong>
      {one.isRequirement || one.link ? (
        <p class="mb-0 d-flex flex-wrap gap-2 color-fg-muted">
          {one.isRequirement ? <span>{t('box.required')}</span> : null}
          {one.link ? <a href={`${own}${one.link.path}`}>{textOf(one.link.label)}</a> : null}
          {one.isRequirement && status.ruleId ? (
            <a href={`${repositoryPath}/settings/branches/${status.ruleId}`}>{t('box.rule')}</a>
          ) : null}
        </p>
      ) : null}
    </MergeBoxRow>
  );
}

function OpenRows(props: MergeBoxProps): VNode {
  const { context, status, own } = props;
  const { pull } = context;
  const isHidden = pull.isDraft && !status.blockers.some(({ code }) => code === 'draft');
  return (
    <>
      {isHidden ? (
        <BlockerRow {...props} one={{ code: 'draft', message: t.later('obstacle.draft'), isRequirement: false }} />
      ) : null}
      {status.isBehind ? (
        <MergeBoxRow
          icon="git-branch"
          tone="muted"
          actions={status.updates.map((style, at) => (
            <PostButton
              action={`${own}/update`}
              fields={{ style }}
              class={at === 0 ? 'btn btn-sm' : 'btn btn-sm btn-invisible'}
            >
              {t(`box.update.${style}`)}
            </PostButton>
          ))}
        >
          <strong>{t('box.behind')}</strong>
          <p class="mb-0 color-fg-muted">{t('box.behindNote', { base: pull.baseBranch })}</p>
        </MergeBoxRow>
      ) : null}
      {status.maintainers ? <MaintainersRow {...props} /> : null}
      {status.scheduled ? (
        <MergeBoxRow
          icon="clock"
          tone="attention"
          actions={
            status.scheduled.mayCancel ? (
              <PostButton action={`${own}/merge/cancel`}>{t('box.cancel')}</PostButton>
            ) : null
          }
        >
          <strong>{t('box.scheduled')}</strong>
          <p class="mb-0 color-fg-muted">
            {t('box.scheduledBy', {
              name: status.scheduled.by?.name ?? t('person.gone'),
              way: t(`way.${status.scheduled.style}`),
            })}
          </p>
        </MergeBoxRow>
      ) : null}
      <MergeMethods {...props} />
      {status.mayEdit && !pull.isDraft ? (
        <MergeBoxRow
          icon="git-pull-request-draft"
          tone="muted"
          actions={
            <PostButton action={`${own}/draft`} fields={{ draft: '1' }}>
              {t('box.toDraft')}
            </PostButton>
          }
        >
          <span class="color-fg-muted">{t('box.toDraftNote')}</span>
        </MergeBoxRow>
      ) : null}
    </>
  );
}

const MaintainersRow = ({ context: { pull }, status, own }: MergeBoxProps): VNode => (
  <MergeBoxRow
    icon="people"
    tone="muted"
    actions={
      status.maintainers === 'asked' ? (
        <PostButton action={`${own}/maintainers`} fields={{ allowed: pull.allowMaintainerEdit ? '0' : '1' }}>
          {pull.allowMaintainerEdit ? t('box.maintainers.deny') : t('box.maintainers.allow')}
        </PostButton>
      ) : null
    }
  >
    <span class="color-fg-muted">
      {pull.allowMaintainerEdit ? t('box.maintainers.allowed') : t('box.maintainers.denied')}
    </span>
  </MergeBoxRow>
);

/** How it is looked at and merged by hand. */
function Commands({ context: { pull } }: MergeBoxProps): VNode {
  const own = `pull-${pull.index}`;
  const base = shellQuote(pull.baseBranch);
  return (
    <details class="mt-2">
      <summary class="btn-link f6">{t('commands.title')}</summary>
      <div class="mt-2">
        <p class="mb-1">{t('commands.look')}</p>
        <CopyBlock
          text={`git fetch origin refs/pull/${pull.index}/head:${own}\ngit switch ${own}`}
          label={t('commands.copy')}
        />
        <p class="mb-1">{t('commands.merge', { base: pull.baseBranch })}</p>
        <CopyBlock
          text={`git switch ${base}\ngit merge --no-ff ${own}\ngit push origin ${base}`}
          label={t('commands.copy')}
        />
      </div>
    </details>
  );
}

export async function createMergeBox(deps: PageDeps, page: PullPageContext): Promise<VNode> {
  const status = await readMergeStatus(deps, page);
  const rows = (
    await Promise.all(
      deps.mergeBox.list().map(async (slot) => ({ order: slot.order ?? 50, node: await slot.render(page) })),
    )
  ).flatMap(({ order, node }) => (node ? [{ order, node }] : []));
  const { pull } = page.context;
  const own = `${page.repositoryPath}/pulls/${pull.index}`;
  const box = (
    <MergeBox
      context={page.context}
      status={status}
      own={own}
      repositoryPath={page.repositoryPath}
      path={deps.site.path}
      rows={rows}
    />
  );
  return pull.isOpen && pull.mergeState === 'checking' ? (
    <LazyFragment href={`${own}/merge-box`}>{box}</LazyFragment>
  ) : (
    box
  );
}

/** Between the conversation of a pull request and the form for a comment. */
export const mergeBoxSlot = (deps: PageDeps): Slot<IssuePageContext> => ({
  key: 'pulls.mergeBox',
  order: 50,
  async render({ context, ...page }) {
    const pull = context.issue.isPull ? await deps.pullServices.reader.byIssueId(context.issue.id) : undefined;
    return pull ? createMergeBox(deps, { ...page, context: { ...context, pull } }) : null;
  },
});
