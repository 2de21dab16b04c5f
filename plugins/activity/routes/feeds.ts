import {
  defineRoute,
  feedReply,
  NotFound,
  preformatted,
  Problem,
  type Actor,
  type FeedEntry,
  type FeedForm,
  type Languages,
  type Logger,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import { userResource, type Accounts } from '@mortise/accounts/api';
import {
  isCorruptObject,
  subjectOf as commitSubject,
  type GitReader,
  type GitRepository,
  type Ref,
} from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';
import type { Activities, ActivitySearch, Activity } from '../contract/activity.js';
import { feedResource } from '../services/feed-resource.js';
import { asText, describe, encodedPath, saysNothing } from '../services/describe.js';
import { readFeedSubjects } from '../services/feed-subjects.js';
import { t } from '../texts/index.js';

interface Services {
  readonly activities: Activities;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly gitReader: GitReader;
  readonly site: Site;
  readonly languages: Languages;
  readonly log: Pick<Logger, 'warn'>;
}

const entries = 30;
const forms: readonly FeedForm[] = ['rss', 'atom'];

/** Activities as entries of a feed; two queries however many. */
async function entriesOf(services: Services, items: readonly Activity[]): Promise<FeedEntry[]> {
  const { accounts, site, languages } = services;
  const { users, subjectOf } = await readFeedSubjects(services, items, (path) => site.url(path));
  return items.flatMap((one) => {
    const subject = subjectOf(one);
    if (!subject || saysNothing(one)) return [];
    const author = users.get(one.actorId)?.name ?? accounts.ghost().login;
    const { description, title } = languages.in('', () => {
      const described = describe(one, subject);
      return { description: described, title: asText(described, author) };
    });
    const commits = description.commits.map((commit) => `${commit.Sha1.slice(0, 10)} ${commitSubject(commit.Message)}`);
    return {
      id: site.url(`/activity/${one.id}`),
      title,
      link: description.href,
      at: one.createdAt,
      author,
      html: preformatted([description.quote, ...commits].filter(Boolean).join('\n')),
    };
  });
}

/** RSS and Atom of accounts, repositories, branches, folders and files (route-feeds). */
export const feedRoutes = (services: Services): readonly Route[] => {
  const { activities, repositories, gitReader, site, log, languages } = services;
  /** Readers of feeds say nothing of languages: in that of the site. */
  const inSiteLanguage = <T>(make: () => T): T => languages.in('', make);

  const happened = async (search: Omit<ActivitySearch, 'limit' | 'offset'>, actor: Actor) =>
    entriesOf(
      services,
      (await activities.search({ ...search, withoutParts: true, limit: entries, offset: 0 }, actor)).items,
    );

  const ofAccount = (form: FeedForm): Route =>
    defineRoute({
      method: 'GET',
      path: `/{username}.${form}`,
      surface: 'protocol',
      access: { actor: 'anyone', scope: 'user', resource: userResource },
      handler: async ({ actor, resource }) =>
        feedReply(form, {
          title: inSiteLanguage(() => t('rss.account', { name: resource.name })),
          page: site.url(`/${resource.name}`),
          self: site.url(`/${resource.name}.${form}`),
          entries: await happened({ userId: resource.id }, actor),
        }),
    });

  const ofRepository = (form: FeedForm): Route =>
    defineRoute({
      method: 'GET',
      path: `/{owner}/{repo}.${form}`,
      surface: 'protocol',
      access: { actor: 'anyone', scope: 'repository', resource: feedResource },
      handler: async ({ actor, resource: { repository } }) => {
        const page = repositories.htmlUrl(repository);
        return feedReply(form, {
          title: inSiteLanguage(() => t('rss.repository', { name: `${repository.ownerName}/${repository.name}` })),
          page,
          self: `${page}.${form}`,
          entries: await happened({ repositoryId: repository.id }, actor),
        });
      },
    });

  const ofBranch = (form: FeedForm): Route =>
    defineRoute({
      method: 'GET',
      path: `/{owner}/{repo}/${form}/branch/{path*}`,
      surface: 'protocol',
      access: { actor: 'anyone', scope: 'repository', resource: feedResource, unit: 'code' },
      handler: async ({ resource: { repository }, params }) => {
        const git = gitReader.open(repository.id);
        const { branch, path, commits } = await latest(git, String(params.path ?? '')).catch((error: unknown) =>
          refuseUnreadable(log, repository.id, error),
        );
        const base = repositories.htmlUrl(repository);
        const at = `${encodedPath(branch.name)}${path ? `/${encodedPath(path)}` : ''}`;
        return feedReply(form, {
          title: inSiteLanguage(() => {
            const name = `${repository.ownerName}/${repository.name}`;
            return path
              ? t('rss.path', { path, branch: branch.name, name })
              : t('rss.branch', { branch: branch.name, name });
          }),
          page: `${base}/commits/branch/${at}`,
          self: `${base}/${form}/branch/${at}`,
          entries: commits.map((commit) => ({
            id: `${base}/commit/${commit.oid}`,
            title: commitSubject(commit.message),
            link: `${base}/commit/${commit.oid}`,
            at: commit.committer.time,
            author: commit.author.name,
            html: preformatted(commit.message.trim()),
          })),
        });
      },
    });

  return forms.flatMap((form) => [ofAccount(form), ofRepository(form), ofBranch(form)]);
};

/** A damaged repository is not found, and operators read of it in the log. */
function refuseUnreadable(log: Pick<Logger, 'warn'>, repository: number, error: unknown): never {
  if (!isCorruptObject(error)) throw error;
  log.warn('could not read a repository', {
    event: 'repository.unreadable',
    repository,
    error: String(error).slice(0, 500),
  });
  throw new Problem('not_found', t.later('error.damaged'));
}

/** The last commits to what `main/docs/a.md` names. */
async function latest(git: GitRepository, given: string) {
  const { branch, path } = await splitBranch(git, given);
  if (path && !(await git.entry(branch.oid, path))) throw NotFound('file');
  const { commits } = await git.log({ from: [branch.oid], path, limit: entries, total: false });
  return { branch, path, commits };
}

/** The branch is the longest name that is one; git allows no branch below another's name. */
async function splitBranch(git: GitRepository, given: string): Promise<{ branch: Ref; path: string }> {
  const parts = given.split('/').filter(Boolean);
  for (let count = 1; count <= parts.length; count++) {
    const branch = await git.branch(parts.slice(0, count).join('/'));
    if (branch) return { branch, path: parts.slice(count).join('/') };
  }
  throw NotFound('branch');
}
