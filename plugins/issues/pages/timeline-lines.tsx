import type { ComponentChildren, VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import {
  pathOf,
  type Issue,
  type TimelineEntry,
  type TimelineKind,
  type TimelineLine,
  type TimelinePageView,
} from '../api.js';
import type { SentenceProps } from '../fields/field.js';
import { textOf, who } from '../fields/sentences.js';
import { fields } from '../fields/values.js';
import { hidingReasons } from '../models/hidden-comment.js';
import { repositoryPathOf, LabelChip, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

type Lines = Map<number, TimelineLine>;
type Reader = (deps: PageDeps, entries: readonly TimelineEntry[], view: TimelinePageView) => Promise<Lines>;

const idOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

type Plain = 'close' | 'reopen' | 'unlock' | 'pin' | 'unpin';
const PlainSentence = (props: SentenceProps): VNode => <>{t.rich(`line.${props.entry.kind as Plain}`, who(props))}</>;
const plain =
  (name: string, tone?: TimelineLine['tone']): Reader =>
  async (_parts, entries, view) =>
    new Map(
      entries.map((entry) => [
        entry.id,
        { icon: name, ...(tone && { tone }), text: <PlainSentence entry={entry} view={view} /> },
      ]),
    );

const LockSentence = (props: SentenceProps): VNode => (
  <>
    {props.entry.body
      ? t.rich('line.lockFor', { ...who(props), reason: props.entry.body })
      : t.rich('line.lock', who(props))}
  </>
);
const lock: Reader = async (_parts, entries, view) =>
  new Map(entries.map((entry) => [entry.id, { icon: 'lock', text: <LockSentence entry={entry} view={view} /> }]));

const HiddenSentence = (props: SentenceProps): VNode => {
  const { entry } = props;
  const link = (text: ComponentChildren) => <a href={`#issuecomment-${entry.subjectId}`}>{text}</a>;
  const reason = hidingReasons.find((one) => one === entry.body);
  return (
    <>
      {reason
        ? t.rich('line.hideComment', { ...who(props), link, reason: t(`hidingReason.${reason}`) })
        : t.rich('line.showComment', { ...who(props), link })}
    </>
  );
};
const hiding =
  (name: string): Reader =>
  async (_parts, entries, view) =>
    new Map(entries.map((entry) => [entry.id, { icon: name, text: <HiddenSentence entry={entry} view={view} /> }]));

const TitleSentence = (props: SentenceProps): VNode => (
  <>
    {t.rich('line.title', {
      ...who(props),
      old: <del>{textOf(props.entry.data.oldTitle)}</del>,
      now: <strong class="color-fg-default">{textOf(props.entry.data.newTitle)}</strong>,
    })}
  </>
);
const title: Reader = async (_parts, entries, view) =>
  new Map(entries.map((entry) => [entry.id, { icon: 'pencil', text: <TitleSentence entry={entry} view={view} /> }]));

/** Those that one person changed within a minute are told of in one line. */
const together = 60_000;
interface LabelGroup extends SentenceProps {
  readonly added: readonly VNode[];
  readonly removed: readonly VNode[];
}
const LabelSentence = ({ added, removed, ...props }: LabelGroup): VNode => (
  <>
    {added.length && removed.length
      ? t.rich('line.labels', { ...who(props), count: added.length, added: <>{added}</>, removed: <>{removed}</> })
      : added.length
        ? t.rich('line.labelled', { ...who(props), count: added.length, labels: <>{added}</> })
        : t.rich('line.unlabelled', { ...who(props), count: removed.length, labels: <>{removed}</> })}
  </>
);
const label: Reader = async ({ issueServices, emojify }, entries, view) => {
  const rows = await issueServices.reader.labelsByIds(entries.map((entry) => entry.subjectId));
  const { repository } = view.context;
  const known = new Map(
    rows
      .filter((one) => one.repositoryId === repository.id || one.organizationId === repository.ownerId)
      .map((one) => [one.id, one]),
  );
  const lines: Lines = new Map();
  let group: { first: TimelineEntry; added: VNode[]; removed: VNode[] } | undefined;
  for (const entry of entries) {
    const label = known.get(entry.subjectId);
    if (!label) continue;
    const isSame = group && group.first.actorId === entry.actorId && entry.createdAt - group.first.createdAt < together;
    if (!group || !isSame) group = { first: entry, added: [], removed: [] };
    (entry.body ? group.added : group.removed).push(<LabelChip label={label} emojify={emojify} />);
    lines.set(group.first.id, {
      icon: 'tag',
      text: <LabelSentence entry={group.first} view={view} added={group.added} removed={group.removed} />,
    });
  }
  return lines;
};

const MilestoneSentence = ({ now, old, ...props }: SentenceProps & { now?: VNode; old?: VNode }): VNode => (
  <>
    {now && old
      ? t.rich('line.milestoneMoved', { ...who(props), now, old })
      : now
        ? t.rich('line.milestone', { ...who(props), milestone: now })
        : t.rich('line.noMilestone', { ...who(props), milestone: old ?? <span>{t('milestones.gone')}</span> })}
  </>
);
const milestone: Reader = async ({ issueServices }, entries, view) => {
  const milestones = await issueServices.reader.milestones(
    entries.flatMap(({ subjectId, data }) => [subjectId, idOf(data.oldId)]),
  );
  const link = (id: number) => {
    const one = milestones.get(id);
    return one ? (
      <a class="text-bold Link--primary" href={`${view.repositoryPath}/milestone/${id}`}>
        {one.title}
      </a>
    ) : undefined;
  };
  return new Map(
    entries.map((entry) => [
      entry.id,
      {
        icon: 'milestone',
        text: (
          <MilestoneSentence entry={entry} view={view} now={link(entry.subjectId)} old={link(idOf(entry.data.oldId))} />
        ),
      },
    ]),
  );
};

const AssigneeSentence = (props: SentenceProps): VNode => {
  const { entry, view } = props;
  const isSelf = entry.actorId === entry.subjectId;
  const removed = entry.data.removed === true;
  if (isSelf) return <>{t.rich(removed ? 'line.unassignedSelf' : 'line.assignedSelf', who(props))}</>;
  return (
    <>
      {t.rich(removed ? 'line.unassigned' : 'line.assigned', { ...who(props), person: view.userLink(entry.subjectId) })}
    </>
  );
};
const assignees: Reader = async (_parts, entries, view) =>
  new Map(entries.map((entry) => [entry.id, { icon: 'person', text: <AssigneeSentence entry={entry} view={view} /> }]));

/** Other issues, as far as the actor may read them, with links to them. */
async function subjects(
  { issueServices, site, emojify }: PageDeps,
  entries: readonly TimelineEntry[],
  view: TimelinePageView,
) {
  const issues = await issueServices.reader.byIds(entries.map((entry) => entry.subjectId));
  const visible = await issueServices.presenter.readable([...issues.values()], view.actor);
  const repositoriesById = await issueServices.deps.repositories.byIds([
    ...new Set(visible.map((one) => one.repositoryId)),
  ]);
  return new Map(
    visible.flatMap((issue) => {
      const repository = repositoriesById.get(issue.repositoryId);
      return repository
        ? [
            [
              issue.id,
              <IssueLink
                issue={issue}
                repository={repository}
                own={view.context.repository}
                repositoryPath={repositoryPathOf(site, repository)}
                emojify={emojify}
              />,
            ] as const,
          ]
        : [];
    }),
  );
}

export const IssueLink = ({
  issue,
  repository,
  own,
  repositoryPath,
  emojify,
}: {
  issue: Issue;
  repository: Repository;
  own: Repository;
  repositoryPath: string;
  emojify: (text: string) => string;
}): VNode => (
  <a class="Link--primary wb-break-word" href={`${repositoryPath}/${pathOf(issue)}`}>
    {emojify(issue.title)}{' '}
    <span class="color-fg-muted">
      {repository.id === own.id ? '' : `${repository.ownerName}/${repository.name}`}#{issue.index}
    </span>
  </a>
);

type About = 'add_dependency' | 'remove_dependency' | 'issue_ref' | 'comment_ref' | 'pull_ref';
const AboutSentence = (props: SentenceProps): VNode => <>{t.rich(`line.${props.entry.kind as About}`, who(props))}</>;
const about =
  (name: string): Reader =>
  async (deps, entries, view) => {
    const subjectById = await subjects(deps, entries, view);
    return new Map(
      entries.flatMap((entry) => {
        const link = subjectById.get(entry.subjectId);
        const isGone = entry.data.action === 'neutered';
        return link && !isGone
          ? [
              [
                entry.id,
                { icon: name, text: <AboutSentence entry={entry} view={view} />, below: <p class="mb-0">{link}</p> },
              ] as const,
            ]
          : [];
      }),
    );
  };

const CommitSentence = (props: SentenceProps): VNode => <>{t.rich('line.commit_ref', who(props))}</>;
const commit: Reader = async ({ issueServices, site }, entries, view) => {
  const { repositories, repositoryAccess } = issueServices.deps;
  const repositoriesById = await repositories.byIds(
    [...new Set(entries.map(({ data }) => idOf(data.repositoryId)))].filter(Boolean),
  );
  const rights = await repositoryAccess.contexts(view.actor, [...repositoriesById.values()]);
  return new Map(
    entries.flatMap((entry) => {
      const repository = repositoriesById.get(idOf(entry.data.repositoryId));
      const sha = textOf(entry.data.sha);
      if (!repository || !rights.get(repository.id)?.may('read', 'code')) return [];
      const below = (
        <p class="mb-0 wb-break-word">
          {icon('git-commit')}{' '}
          <a class="Link--primary" href={`${repositoryPathOf(site, repository)}/commit/${sha}`}>
            {entry.body} <code class="f6">{sha.slice(0, 10)}</code>
          </a>
        </p>
      );
      return [[entry.id, { icon: 'git-commit', text: <CommitSentence entry={entry} view={view} />, below }] as const];
    }),
  );
};

/** What fields say of their changes. */
const fieldReaders = fields.flatMap(({ timeline: { kinds, icon: name, Sentence } }) =>
  kinds.map((kind): [string, Reader] => [
    kind,
    async (_parts, entries, view) =>
      new Map(entries.map((entry) => [entry.id, { icon: name, text: <Sentence entry={entry} view={view} /> }])),
  ]),
);

const readers: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(fieldReaders),
  close: plain('issue-closed', 'done'),
  reopen: plain('issue-reopened', 'success'),
  lock,
  unlock: plain('unlock'),
  pin: plain('pin'),
  unpin: plain('pin-slash'),
  hide_comment: hiding('eye-closed'),
  show_comment: hiding('eye'),
  change_title: title,
  label,
  milestone,
  assignees,
  add_dependency: about('issue-tracked-by'),
  remove_dependency: about('issue-tracked-by'),
  issue_ref: about('cross-reference'),
  comment_ref: about('cross-reference'),
  pull_ref: about('git-pull-request'),
  commit_ref: commit,
};

/** How pages show the entries that issues make. */
export function linesOf(key: string, deps: PageDeps): Pick<TimelineKind, 'lines'> {
  const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
  return read ? { lines: (entries, view) => read(deps, entries, view) } : {};
}
