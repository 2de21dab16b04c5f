import type { VNode } from 'preact';
import { Ago, formatNumber, icon, FragmentCache, type Actor } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { pathOf, type Issue, type IssueStyle, type Label, type Milestone } from '../api.js';
import { fields, fieldValue } from '../fields/values.js';
import type { RowData } from './issue-list-data.js';
import {
  Avatar,
  repositoryPathOf,
  LabelChip,
  StyleIcon,
  UserLink,
  defaultStyle,
  type PageDeps,
} from './page-context.js';
import { t } from '../texts/index.js';

/** What pages with lists of issues name in `islands`. */
export const listIslands = ['issues', 'issues-style', 'suggest'] as const;

export interface Rows extends RowData {
  readonly properties: ReadonlyMap<number, { readonly style?: () => IssueStyle; readonly badges: readonly VNode[] }>;
}

interface Known {
  readonly milestones?: readonly Milestone[];
  readonly repository?: Repository;
}

/** `known`: milestones and repositories that were read already. */
export async function readRows(deps: PageDeps, issues: readonly Issue[], actor: Actor, known?: Known): Promise<Rows> {
  const [plain, properties] = await Promise.all([
    readPlainRows(deps, issues, known),
    readProperties(deps, issues, actor),
  ]);
  return { ...plain, properties };
}

/** What everybody sees of them alike who may read them. */
export async function readPlainRows(
  { issueServices, accounts }: PageDeps,
  issues: readonly Issue[],
  known: Known = {},
): Promise<RowData> {
  const { reader, deps } = issueServices;
  const ids = issues.map(({ id }) => id);
  const given = new Map((known.milestones ?? []).map((one) => [one.id, one]));
  const missing = issues.map((one) => one.milestoneId).filter((id) => id && !given.has(id));
  const [labels, assignees, more, repositoriesById] = await Promise.all([
    reader.labels(ids),
    reader.assignees(ids),
    reader.milestones(missing),
    known.repository
      ? new Map([[known.repository.id, known.repository]])
      : deps.repositories.byIds([...new Set(issues.map((one) => one.repositoryId))]),
  ]);
  const users = await accounts.byIds([
    ...new Set([...issues.map((one) => one.posterId), ...[...assignees.values()].flat()]),
  ]);
  return { issues, labels, assignees, milestones: new Map([...given, ...more]), users, repositoriesById };
}

/** What other plugins say of them to the actor. */
export async function readProperties(
  { rowProperties }: PageDeps,
  issues: readonly Issue[],
  actor: Actor,
): Promise<Rows['properties']> {
  const properties = await Promise.all(rowProperties.list().map((one) => one.properties(issues, actor)));
  const merged = new Map<number, { style?: () => IssueStyle; badges: VNode[] }>();
  for (const source of properties)
    for (const [id, { style, badge }] of source) {
      const of = merged.get(id) ?? { badges: [] };
      if (style) of.style = style;
      if (badge) of.badges.push(badge);
      merged.set(id, of);
    }
  return merged;
}

interface RowProps {
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
  const repository = rows.repositoriesById.get(issue.repositoryId);
  if (!repository) return null;
  const repositoryPath = repositoryPathOf(site, repository);
  const properties = rows.properties.get(issue.id);
  const style = properties?.style?.() ?? defaultStyle(issue);
  const milestone = rows.milestones.get(issue.milestoneId);
  const poster = rows.users.get(issue.posterId);
  const assigned = (rows.assignees.get(issue.id) ?? []).flatMap((id) => rows.users.get(id) ?? []).slice(0, 4);
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
      <StyleIcon style={style} />
      <div class="flex-auto min-width-0">
        <div class="wb-break-word">
          {isAcross ? (
            <a class="Link--muted" href={repositoryPath}>
              {repository.ownerName}/{repository.name}{' '}
            </a>
          ) : null}
          <a class="text-bold Link--primary title-link" href={`${repositoryPath}/${pathOf(issue)}`}>
            {deps.emojify(issue.title)}
          </a>{' '}
          {properties?.badges}
          {labels.map((label) => (
            <LabelChip label={label} href={label.href} emojify={deps.emojify} />
          ))}
        </div>
        <div class="f6 color-fg-muted d-flex flex-wrap issue-facts">
          <span>
            {t.rich('row.opened', {
              index: String(issue.index),
              when: <Ago time={issue.createdAt} />,
              name: <UserLink account={poster} originalAuthor={issue.originalAuthor} path={site.path} />,
            })}
          </span>
          {milestone ? (
            <a class="Link--muted" href={`${repositoryPath}/milestone/${milestone.id}`}>
              {icon('milestone')} {milestone.title}
            </a>
          ) : null}
          {fields.map((field) => (field.ListRow && fieldValue(issue, field) ? <field.ListRow issue={issue} /> : null))}
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
            href={`${repositoryPath}/${pathOf(issue)}`}
            aria-label={t('row.comments', { count: issue.commentCount })}
          >
            {icon('comment')} {formatNumber(issue.commentCount)}
          </a>
        ) : null}
      </div>
    </li>
  );
  if (properties?.badges.length) return draw();
  const { id, index, isPull, isClosed, title, createdAt, commentCount } = issue;
  const shown = [
    id,
    index,
    isPull,
    isClosed,
    title,
    createdAt,
    commentCount,
    fields.map((field) => fieldValue(issue, field)),
  ];
  const people = [poster?.name, ...assigned.map((one) => [one.name, accounts.avatarUrl(one)])];
  const minute = Math.floor(Date.now() / 60_000);
  const by = [minute, repositoryPath, isAcross, form, style, shown, labels, milestone?.id, milestone?.title, people];
  return (
    <FragmentCache name="issues.row" cacheKey={JSON.stringify(by)}>
      {draw}
    </FragmentCache>
  );
}
