import type { VNode } from 'preact';
import { Ago, Blankslate, icon } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import { subjectOf as commitSubject } from '@mortise/git/api';
import type { Activity } from '../contract/activity.js';
import { describe, saysNothing, type Description, type Piece } from '../services/describe.js';
import { readFeedSubjects, type FeedSubject } from '../services/feed-subjects.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly path: (path: string) => string;
}

interface FeedEntry {
  readonly activity: Activity;
  readonly account: Account;
  readonly avatar: string;
  readonly subject: FeedSubject;
}

export interface FeedProps {
  readonly entries: readonly FeedEntry[];
  readonly path: (path: string) => string;
}

/** What a feed shows of these entries; two queries however many. */
export async function loadFeed(activities: readonly Activity[], services: Services): Promise<FeedProps> {
  const { accounts, path } = services;
  const { users, subjectOf } = await readFeedSubjects(services, activities, path);
  const entries = activities.flatMap((activity) => {
    const account = users.get(activity.actorId);
    const subject = subjectOf(activity);
    if (!account || !subject || saysNothing(activity)) return [];
    return { activity, account, subject, avatar: accounts.avatarUrl(account) };
  });
  return { entries, path };
}

const Bold = ({ href, text }: { href: string; text: string }): VNode => (
  <a class="text-bold Link--primary" href={href}>
    {text}
  </a>
);

const shown = (piece: Piece): VNode | string => (typeof piece === 'string' ? piece : <Bold {...piece} />);

interface FeedTexts {
  /** Said when there are no entries. */
  readonly empty: string;
  /** What would be here. */
  readonly hint?: string;
}

/** Entries as a list. */
export function Feed({ entries, path, empty, hint }: FeedProps & FeedTexts): VNode {
  if (entries.length === 0)
    return (
      <Blankslate title={empty} icon="pulse" level={3}>
        {hint ? <p>{hint}</p> : null}
      </Blankslate>
    );
  return (
    <ol class="Box list-style-none">
      {entries.map((one) => (
        <Entry key={one.activity.id} {...one} path={path} />
      ))}
    </ol>
  );
}

function Entry({ activity, account, avatar, subject, path }: FeedEntry & { readonly path: FeedProps['path'] }): VNode {
  const description = describe(activity, subject);
  const values = Object.fromEntries(Object.entries(description.values).map(([part, piece]) => [part, shown(piece)]));
  const name = <Bold href={path(`/${account.name}`)} text={account.name} />;
  return (
    <li class="Box-row d-flex">
      <img class="avatar avatar-user mr-2 flex-shrink-0" src={avatar} width={32} height={32} alt="" />
      <div class="flex-auto min-width-0 wb-break-word">
        <div>
          {t.rich(`feed.${description.key}`, { ...values, name })}{' '}
          {activity.isPrivate ? <span class="Label Label--secondary">{t('list.private')}</span> : null}
        </div>
        {description.quote ? <div class="color-fg-muted">{description.quote}</div> : null}
        <Commits base={subject.href} description={description} />
        <div class="f6 color-fg-muted">
          <Ago time={activity.createdAt} />
        </div>
      </div>
      <span class="color-fg-muted ml-2">{icon(description.icon)}</span>
    </li>
  );
}

function Commits({ base, description }: { readonly base: string; readonly description: Description }): VNode | null {
  if (description.commits.length === 0) return null;
  return (
    <ul class="list-style-none mt-1">
      {description.commits.map((commit) => (
        <li key={commit.Sha1} class="f6 css-truncate css-truncate-overflow width-full">
          <a class="text-mono row-link" href={`${base}/commit/${commit.Sha1}`}>
            {commit.Sha1.slice(0, 10)}
          </a>{' '}
          {commitSubject(commit.Message)}
        </li>
      ))}
      {description.more > 0 ? (
        <li class="f6">
          <a class="row-link" href={description.href}>
            {t('list.moreCommits', { count: description.more })}
          </a>
        </li>
      ) : null}
    </ul>
  );
}
