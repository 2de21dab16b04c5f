import type { VNode } from 'preact';
import { Ago } from '@mortise/plugin-sdk';
import { subjectOf, type GitReader } from '@mortise/git/api';
import type { TimelineEntry, TimelineKind, TimelineLine, TimelinePageView } from '@mortise/issues/api';
import { t } from '../texts/index.js';

interface SentenceProps {
  readonly entry: TimelineEntry;
  readonly view: TimelinePageView;
}
const who = ({ entry, view }: SentenceProps) => ({
  name: view.userLink(entry.actorId),
  when: <Ago time={entry.createdAt} />,
});
const word = (value: unknown): string => (typeof value === 'string' ? value : '');
const code = (text: string): VNode => <code class="pull-ref wb-break-all">{text}</code>;

const maxListed = 20;

interface Pushed {
  readonly isForced: boolean;
  readonly ids: readonly string[];
}

/** What the entry of a push says; nothing of it can be relied on but that it is text. */
function pushedOf({ body }: TimelineEntry): Pushed {
  try {
    const { is_force_push: isForced, commit_ids: ids } = JSON.parse(body) as Record<string, unknown>;
    const isId = (id: unknown): id is string => typeof id === 'string' && /^[0-9a-f]{40,64}$/.test(id);
    return { isForced: isForced === true, ids: Array.isArray(ids) ? ids.filter(isId) : [] };
  } catch {
    return { isForced: false, ids: [] };
  }
}

const CommitLink = ({ view, oid }: { view: TimelinePageView; oid: string }): VNode => (
  <a class="text-mono f6" href={`${view.repositoryPath}/commit/${oid}`}>
    {oid.slice(0, 10)}
  </a>
);

function PushSentence({ pushed, ...props }: SentenceProps & { pushed: Pushed }): VNode {
  const [from = '', to = ''] = pushed.ids;
  if (pushed.isForced)
    return (
      <>
        {t.rich('line.forced', {
          ...who(props),
          from: <CommitLink view={props.view} oid={from} />,
          to: <CommitLink view={props.view} oid={to} />,
        })}
      </>
    );
  return <>{t.rich('line.pushed', { ...who(props), count: pushed.ids.length })}</>;
}

const PushedCommits = (props: {
  readonly ids: readonly string[];
  readonly subjects: ReadonlyMap<string, string>;
  readonly view: TimelinePageView;
}): VNode => (
  <ul class="list-style-none mt-1">
    {props.ids.slice(0, maxListed).map((oid) => (
      <li class="pull-commit">
        <a
          class="Link--primary flex-auto min-width-0 wb-break-word"
          href={`${props.view.repositoryPath}/commit/${oid}`}
        >
          {props.subjects.get(oid) ?? oid.slice(0, 10)}
        </a>
        <span class="d-none d-md-inline">
          <CommitLink view={props.view} oid={oid} />
        </span>
      </li>
    ))}
    {props.ids.length > maxListed ? (
      <li class="color-fg-muted">{t('line.more', { count: props.ids.length - maxListed })}</li>
    ) : null}
  </ul>
);

const pushed = (git: GitReader): NonNullable<TimelineKind['lines']> =>
  async function lines(entries, view) {
    const read = new Map(entries.map((entry) => [entry.id, pushedOf(entry)]));
    // what commits say is code
    const isShown = view.context.may('read', 'code');
    const wanted = [...read.values()].flatMap(({ isForced, ids }) =>
      isForced || !isShown ? [] : ids.slice(0, maxListed),
    );
    const commits = wanted.length ? await git.open(view.issue.repositoryId).commits([...new Set(wanted)]) : [];
    const subjects = new Map(
      commits.flatMap((one) => (one ? [[one.oid, subjectOf(one.message).slice(0, 300)] as const] : [])),
    );
    return new Map(
      entries.map((entry): [number, TimelineLine] => {
        const found = read.get(entry.id)!;
        return [
          entry.id,
          {
            icon: found.isForced ? 'repo-push' : 'git-commit',
            text: <PushSentence entry={entry} view={view} pushed={found} />,
            ...(!found.isForced &&
              found.ids.length && { below: <PushedCommits ids={found.ids} subjects={subjects} view={view} /> }),
          },
        ];
      }),
    );
  };

const each =
  (
    style: Pick<TimelineLine, 'icon' | 'tone'>,
    Sentence: (props: SentenceProps) => VNode,
  ): NonNullable<TimelineKind['lines']> =>
  (entries, view) =>
    Promise.resolve(
      new Map(entries.map((entry) => [entry.id, { ...style, text: <Sentence entry={entry} view={view} /> }])),
    );

const Merged = (props: SentenceProps): VNode => <>{t.rich('line.merged', who(props))}</>;
const Deleted = (props: SentenceProps): VNode => (
  <>{t.rich('line.deleted', { ...who(props), branch: code(word(props.entry.data.oldRef)) })}</>
);
const Retargeted = (props: SentenceProps): VNode => (
  <>
    {t.rich('line.retargeted', {
      ...who(props),
      from: code(word(props.entry.data.oldRef)),
      to: code(word(props.entry.data.newRef)),
    })}
  </>
);
const Scheduled = (props: SentenceProps): VNode => <>{t.rich('line.scheduled', who(props))}</>;
const Cancelled = (props: SentenceProps): VNode => <>{t.rich('line.cancelled', who(props))}</>;

/** How conversations show the entries that pull requests make. */
export function linesOf(key: string, git: GitReader): Pick<TimelineKind, 'lines'> {
  switch (key) {
    case 'pull_push':
      return { lines: pushed(git) };
    case 'merge_pull':
      return { lines: each({ icon: 'git-merge', tone: 'done' }, Merged) };
    case 'delete_branch':
      return { lines: each({ icon: 'git-branch' }, Deleted) };
    case 'change_target_branch':
      return { lines: each({ icon: 'git-compare' }, Retargeted) };
    case 'pull_scheduled_merge':
      return { lines: each({ icon: 'clock' }, Scheduled) };
    case 'pull_cancel_scheduled_merge':
      return { lines: each({ icon: 'circle-slash' }, Cancelled) };
    default:
      return {};
  }
}
