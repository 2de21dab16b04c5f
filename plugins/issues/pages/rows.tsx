import type { VNode } from 'preact';
import { Ago, formatDate, formatNumber, icon, KeptPart, type Actor } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { pathOf, type Issue, type IssueLook, type Label, type Milestone } from '../api.js';
import { isOverdue } from '../services/due-date.js';
import type { PlainRows } from './read-list.js';
import { Avatar, homeOf, LabelChip, LookIcon, PersonLink, plainLook, type PageDeps } from './shared.js';
import { t } from '../texts/index.js';

export interface Rows extends PlainRows {
  readonly facts: ReadonlyMap<number, { readonly look?: () => IssueLook; readonly badges: readonly VNode[] }>;
}

interface Known {
  readonly milestones?: readonly Milestone[];
  readonly repository?: Repository;
}

/** `known`: milestones and repositories that were read already. */
export async function readRows(deps: PageDeps, issues: readonly Issue[], actor: Actor, known?: Known): Promise<Rows> {
  const [plain, facts] = await Promise.all([readPlainRows(deps, issues, known), readFacts(deps, issues, actor)]);
  return { ...plain, facts };
}

/** What everybody sees of them alike who may read them. */
export async function readPlainRows(
  { issueServices, accounts }: PageDeps,
  issues: readonly Issue[],
  known: Known = {},
): Promise<PlainRows> {
  const { reader, deps } = issueServices;
  const ids = issues.map(({ id }) => id);
  const given = new Map((known.milestones ?? []).map((one) => [one.id, one]));
  const missing = issues.map((one) => one.milestoneId).filter((id) => id && !given.has(id));
  const [labels, assignees, more, homes] = await Promise.all([
    reader.labels(ids),
    reader.assignees(ids),
    reader.milestones(missing),
    known.repository
      ? new Map([[known.repository.id, known.repository]])
      : deps.repositories.byIds([...new Set(issues.map((one) => one.repositoryId))]),
  ]);
  const people = await accounts.byIds([
    ...new Set([...issues.map((one) => one.posterId), ...[...assignees.values()].flat()]),
  ]);
  return { issues, labels, assignees, milestones: new Map([...given, ...more]), people, homes };
}

/** What other plugins say of them to the actor. */
export async function readFacts(
  { rowFacts }: PageDeps,
  issues: readonly Issue[],
  actor: Actor,
): Promise<Rows['facts']> {
  const facts = await Promise.all(rowFacts.list().map((one) => one.facts(issues, actor)));
  const merged = new Map<number, { look?: () => IssueLook; badges: VNode[] }>();
  for (const source of facts)
    for (const [id, { look, badge }] of source) {
      const of = merged.get(id) ?? { badges: [] };
      if (look) of.look = look;
      if (badge) of.badges.push(badge);
      merged.set(id, of);
    }
  return merged;
}

export interface RowProps {
  readonly rows: Rows;
  readonly deps: PageDeps;
  /** Each can be chosen, for the form of this id. */
  readonly form?: string;
  /** Says of which repository each is. */
  readonly isAcross?: boolean;
  /** Address of the list with one label, where labels lead there. */
  readonly labelHref?: (label: Label) => string;
}

export const IssueRows = (props: RowProps): VNode => (
  <ul class="list-style-none issue-rows">
    {props.rows.issues.map((issue) => (
      <IssueRow {...props} issue={issue} />
    ))}
  </ul>
);

function IssueRow({ rows, deps, form, isAcross, labelHref, issue }: RowProps & { issue: Issue }): VNode | null {
  const { site, accounts } = deps;
  const repository = rows.homes.get(issue.repositoryId);
  if (!repository) return null;
  const home = homeOf(site, repository);
  const facts = rows.facts.get(issue.id);
  const look = facts?.look?.() ?? plainLook(issue);
  const milestone = rows.milestones.get(issue.milestoneId);
  const poster = rows.people.get(issue.posterId);
  const assigned = (rows.assignees.get(issue.id) ?? []).flatMap((id) => rows.people.get(id) ?? []).slice(0, 4);
  const labels = (rows.labels.get(issue.id) ?? []).map((label) => ({ ...label, href: labelHref?.(label) }));
  const draw = (): VNode => (
    <li class="Box-row Box-row--hover d-flex gap-2">
      {form ? (
        <input
          type="checkbox"
          class="mt-1 flex-shrink-0 flex-self-start"
          form={form}
          name="ids"
          value={issue.id}
          aria-label={t('bulk.choose', { title: deps.emojify(issue.title) })}
        />
      ) : null}
      <LookIcon look={look} />
      <div class="flex-auto min-width-0">
        <div class="wb-break-word">
          {isAcross ? (
            <a class="Link--muted" href={home}>
              {repository.ownerName}/{repository.name}{' '}
            </a>
          ) : null}
          <a class="text-bold Link--primary title-link" href={`${home}/${pathOf(issue)}`}>
            {deps.emojify(issue.title)}
          </a>{' '}
          {facts?.badges}
          {labels.map((label) => (
            <LabelChip label={label} href={label.href} emojify={deps.emojify} />
          ))}
        </div>
        <div class="f6 color-fg-muted d-flex flex-wrap issue-facts">
          <span>
            {t.rich('row.opened', {
              index: String(issue.index),
              when: <Ago time={issue.createdAt} />,
              name: <PersonLink account={poster} originalAuthor={issue.originalAuthor} path={site.path} />,
            })}
          </span>
          {milestone ? (
            <a class="Link--muted" href={`${home}/milestone/${milestone.id}`}>
              {icon('milestone')} {milestone.title}
            </a>
          ) : null}
          {issue.dueAt ? (
            <span class={isOverdue(issue) ? 'color-fg-danger' : undefined}>
              {icon('calendar')} {t('row.due', { date: formatDate(issue.dueAt) })}
            </span>
          ) : null}
        </div>
      </div>
      <div class="d-flex flex-items-start gap-2 flex-shrink-0">
        {assigned.map((account) => (
          <a href={site.path(`/${account.name}`)}>
            <Avatar src={accounts.avatarUrl(account)} name={t('row.assigned', { name: account.name })} />
          </a>
        ))}
        {issue.commentCount ? (
          <a
            class="Link--muted no-wrap"
            href={`${home}/${pathOf(issue)}`}
            aria-label={t('row.comments', { count: issue.commentCount })}
          >
            {icon('comment')} {formatNumber(issue.commentCount)}
          </a>
        ) : null}
      </div>
    </li>
  );
  if (facts?.badges.length) return draw();
  const { id, index, isPull, isClosed, title, createdAt, dueAt, commentCount } = issue;
  const shown = [id, index, isPull, isClosed, title, createdAt, dueAt, commentCount];
  const people = [poster?.name, ...assigned.map((one) => [one.name, accounts.avatarUrl(one)])];
  const minute = Math.floor(Date.now() / 60_000);
  const by = [minute, home, isAcross, form, look, shown, labels, milestone?.id, milestone?.title, people];
  return (
    <KeptPart name="issues.row" by={JSON.stringify(by)}>
      {draw}
    </KeptPart>
  );
}
