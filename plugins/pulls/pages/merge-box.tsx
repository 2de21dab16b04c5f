import type { VNode } from 'preact';
import { Ago, CopyBlock, LaterPart, PostButton, shellWord, textOf, type Slot } from '@mortise/plugin-sdk';
import type { IssuePageContext } from '@mortise/issues/api';
import { MergeBoxRow, type MergeObstacle, type PullContext, type PullPageContext } from '../api.js';
import { ChecksRow } from './checks.js';
import { readMergeFacts, type MergeFacts } from './merge-facts.js';
import { MergeWays } from './merge-ways.js';
import type { PageDeps } from './shared.js';
import { t } from '../texts/index.js';

export interface BoxProps {
  readonly context: PullContext;
  readonly facts: MergeFacts;
  /** Path of the pull request's page. */
  readonly own: string;
  readonly home: string;
  readonly csrf: string;
  readonly path: (path: string) => string;
  /** Of the address that others clone. */
  readonly rows: readonly { readonly order: number; readonly node: VNode }[];
}

/** What stands at the end of the conversation: what is missing, and what can be done. */
export function MergeBox(props: BoxProps): VNode {
  const { context, facts, rows } = props;
  const { pull } = context;
  const before = rows.filter(({ order }) => order < 30);
  const after = rows.filter(({ order }) => order >= 30);
  return (
    <section class="pull-merge mt-3 mb-3" id="merge-box" aria-label={t('box.title')}>
      <ul class="Box list-style-none">
        <StateRow {...props} />
        {before.map(({ node }) => node)}
        {facts.checks.length || facts.missingChecks.length ? (
          <ChecksRow checks={facts.checks} missing={facts.missingChecks} />
        ) : null}
        {after.map(({ node }) => node)}
        {facts.obstacles.map((one) => (
          <ObstacleRow one={one} {...props} />
        ))}
        {pull.isOpen ? <OpenRows {...props} /> : null}
      </ul>
      {pull.isOpen ? <Commands {...props} /> : null}
    </section>
  );
}

function StateRow(props: BoxProps): VNode {
  const { context, facts, own, csrf, home } = props;
  const { pull } = context;
  if (pull.isMerged) {
    const commit = (
      <a class="text-mono" href={`${home}/commit/${pull.mergeCommit}`}>
        {pull.mergeCommit.slice(0, 10)}
      </a>
    );
    const name = facts.merger ? (
      <a class="text-bold Link--primary" href={props.path(`/${facts.merger.name}`)}>
        {facts.merger.name}
      </a>
    ) : (
      <span class="text-bold">{t('person.gone')}</span>
    );
    return (
      <MergeBoxRow
        icon="git-merge"
        tone="done"
        actions={[
          facts.mayRevert ? (
            <a
              class="btn btn-sm"
              href={`${home}/_revert/${pull.mergeCommit}/${pull.baseBranch.split('/').map(encodeURIComponent).join('/')}`}
            >
              {t('box.revert')}
            </a>
          ) : null,
          <BranchButton facts={facts} own={own} csrf={csrf} />,
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
      <MergeBoxRow
        icon="git-pull-request-closed"
        tone="danger"
        actions={<BranchButton facts={facts} own={own} csrf={csrf} />}
      >
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
        {facts.rights.mayMerge ? t('box.cleanNote') : facts.isMember ? t('obstacle.permission') : t('box.cleanRead')}
      </p>
    </MergeBoxRow>
  );
}

const BranchButton = ({ facts, own, csrf }: Pick<BoxProps, 'facts' | 'own' | 'csrf'>): VNode | null =>
  facts.branch ? (
    <PostButton action={`${own}/branch/${facts.branch}`} csrf={csrf}>
      {facts.branch === 'delete' ? t('box.deleteBranch') : t('box.restoreBranch')}
    </PostButton>
  ) : null;

const ConflictRow = ({ context: { pull, context }, own }: BoxProps): VNode => (
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
const said = ['conflicts', 'broken', 'merged', 'closed'];

function ObstacleRow({ one, facts, own, csrf }: BoxProps & { one: MergeObstacle }): VNode | null {
  if (said.includes(one.code)) return null;
  const isDraft = one.code === 'draft';
  return (
    <MergeBoxRow
      icon={isDraft ? 'git-pull-request-draft' : one.code === 'permission' ? 'lock' : 'x'}
      tone={isDraft || one.code === 'permission' ? 'muted' : 'danger'}
      actions={
        isDraft && facts.mayEdit ? (
          <PostButton action={`${own}/draft`} csrf={csrf} fields={{ draft: '0' }}>
            {t('box.ready')}
          </PostButton>
        ) : null
      }
    >
      <strong>{textOf(one.message)}</strong>
      {one.isRequirement ? <p class="mb-0 color-fg-muted">{t('box.required')}</p> : ''}
    </MergeBoxRow>
  );
}

function OpenRows(props: BoxProps): VNode {
  const { context, facts, own, csrf } = props;
  const { pull } = context;
  const isHidden = pull.isDraft && !facts.obstacles.some(({ code }) => code === 'draft');
  return (
    <>
      {isHidden ? (
        <ObstacleRow {...props} one={{ code: 'draft', message: t.later('obstacle.draft'), isRequirement: false }} />
      ) : null}
      {facts.isBehind ? (
        <MergeBoxRow
          icon="git-branch"
          tone="muted"
          actions={facts.updates.map((style, at) => (
            <PostButton
              action={`${own}/update`}
              csrf={csrf}
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
      {facts.maintainers ? <MaintainersRow {...props} /> : null}
      {facts.scheduled ? (
        <MergeBoxRow
          icon="clock"
          tone="attention"
          actions={
            facts.scheduled.mayCancel ? (
              <PostButton action={`${own}/merge/cancel`} csrf={csrf}>
                {t('box.cancel')}
              </PostButton>
            ) : null
          }
        >
          <strong>{t('box.scheduled')}</strong>
          <p class="mb-0 color-fg-muted">
            {t('box.scheduledBy', {
              name: facts.scheduled.by?.name ?? t('person.gone'),
              way: t(`way.${facts.scheduled.style}`),
            })}
          </p>
        </MergeBoxRow>
      ) : null}
      <MergeWays {...props} />
      {facts.mayEdit && !pull.isDraft ? (
        <MergeBoxRow
          icon="git-pull-request-draft"
          tone="muted"
          actions={
            <PostButton action={`${own}/draft`} csrf={csrf} fields={{ draft: '1' }}>
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

const MaintainersRow = ({ context: { pull }, facts, own, csrf }: BoxProps): VNode => (
  <MergeBoxRow
    icon="people"
    tone="muted"
    actions={
      facts.maintainers === 'asked' ? (
        <PostButton
          action={`${own}/maintainers`}
          csrf={csrf}
          fields={{ allowed: pull.allowMaintainerEdit ? '0' : '1' }}
        >
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
function Commands({ context: { pull } }: BoxProps): VNode {
  const own = `pull-${pull.index}`;
  const base = shellWord(pull.baseBranch);
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

export async function boxOf(deps: PageDeps, page: PullPageContext): Promise<VNode> {
  const facts = await readMergeFacts(deps, page);
  const rows = (
    await Promise.all(
      deps.mergeBox.list().map(async (slot) => ({ order: slot.order ?? 50, node: await slot.render(page) })),
    )
  ).flatMap(({ order, node }) => (node ? [{ order, node }] : []));
  const { pull } = page.context;
  const own = `${page.home}/pulls/${pull.index}`;
  const box = (
    <MergeBox
      context={page.context}
      facts={facts}
      own={own}
      home={page.home}
      csrf={page.csrf}
      path={deps.site.path}
      rows={rows}
    />
  );
  return pull.isOpen && pull.mergeState === 'checking' ? <LaterPart href={`${own}/merge-box`}>{box}</LaterPart> : box;
}

/** Between the conversation of a pull request and the form for a comment. */
export const mergeBoxSlot = (deps: PageDeps): Slot<IssuePageContext> => ({
  key: 'pulls.mergeBox',
  order: 50,
  async render({ context, ...page }) {
    const pull = context.issue.isPull ? await deps.pullServices.reader.byIssueId(context.issue.id) : undefined;
    return pull ? boxOf(deps, { ...page, context: { ...context, pull } }) : null;
  },
});
