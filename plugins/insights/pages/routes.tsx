import type { VNode } from 'preact';
import { Joi, pageRoute, webPage, type Route, type RouteContext, type Site, type Text } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import { repositoryResource, type RepositoryContext, type RepositoryPages } from '@mortise/repositories/api';
import {
  CodeFrequency,
  Contributors,
  Counting as BeingCounted,
  CountingFailed,
  Menu,
  Pulse,
  RecentCommits,
  periods,
} from './views.js';
import type { Period } from './views.js';
import { t } from '../texts/index.js';
import { weekOf, type Contributions } from '../services/contributions.js';
import type { Counting } from '../services/counting.js';

interface InsightServices {
  readonly counting: Counting;
  readonly accounts: Accounts;
  readonly git: GitReader;
  readonly pages: RepositoryPages;
  readonly site: Site;
}

type InsightRoute = RouteContext<RepositoryContext>;

const access = { actor: 'anyone', resource: repositoryResource, unit: 'code', expensive: true } as const;
/** Commits that the pulse looks at. */
const maxRecent = 2000;

/** What has happened in a repository, in numbers. */
export function insightRoutes({ counting, accounts, git: reader, pages, site }: InsightServices): Route[] {
  const repositoryPath = ({ repository }: RepositoryContext) =>
    site.path(`/${encodeURIComponent(repository.ownerName)}/${encodeURIComponent(repository.name)}`);
  const show = (route: InsightRoute, active: string, title: Text, body: VNode) => {
    const { resource: context, actor } = route;
    return pages.page({ context, actor }, 'activity', {
      title,
      islands: ['insights'],
      body: (
        <>
          <Menu base={repositoryPath(context)} active={active} />
          {body}
        </>
      ),
    });
  };
  /** A page about the whole history. */
  const counted = (path: string, title: Text, view: (contributions: Contributions) => VNode | Promise<VNode>): Route =>
    pageRoute(
      `/{owner}/{repo}/activity${path}`,
      access,
      async (route) => {
        const { contributions, failure } = await counting.of(route.resource.repository.id);
        const shown = contributions ? await view(contributions) : failure === undefined ? <BeingCounted /> : null;
        const body = (
          <>
            {failure === undefined ? null : <CountingFailed reason={failure} />}
            {shown}
          </>
        );
        return route.query.part ? webPage({ title, fragment: true, body }) : show(route, path, title, body);
      },
      { query: Joi.object<{ readonly part?: '1' }>({ part: Joi.string().valid('1') }).unknown() },
    );

  return [
    pageRoute(
      '/{owner}/{repo}/activity',
      access,
      async (route) => {
        const period = route.query.period as Period;
        const git = reader.open(route.resource.repository.id);
        const head = (await git.head()).oid;
        const since = Date.now() - periods[period] * 86_400_000;
        const log = head
          ? await git.log({ from: [head], since, noMerges: true, limit: maxRecent })
          : { commits: [], total: 0 };
        const byAddress = new Map<string, { name: string; commits: number }>();
        for (const { author } of log.commits) {
          const known = byAddress.get(author.email.toLowerCase()) ?? { name: author.name, commits: 0 };
          byAddress.set(author.email.toLowerCase(), { ...known, commits: known.commits + 1 });
        }
        const authors = [...byAddress.values()].sort((a, b) => b.commits - a.commits);
        const latest = log.commits.slice(0, 10);
        const total = log.total ?? log.commits.length;
        return show(
          route,
          '',
          t.later('activity'),
          <Pulse base={repositoryPath(route.resource)} {...{ period, authors, latest, total }} />,
        );
      },
      {
        query: Joi.object<{ readonly period: string }>({
          period: Joi.string()
            .valid(...Object.keys(periods))
            .default('weekly'),
        }),
      },
    ),
    counted('/contributors', t.later('contributors'), async (contributions) => (
      <Contributors
        contributions={contributions}
        accounts={await accounts.byEmails(contributions.contributors.map(({ email }) => email))}
        accountUrl={(account) => site.path(`/${encodeURIComponent(account.name)}`)}
      />
    )),
    counted('/code-frequency', t.later('frequency'), (contributions) => (
      <CodeFrequency contributions={contributions} />
    )),
    counted('/recent-commits', t.later('commits'), (contributions) => (
      <RecentCommits contributions={contributions} now={weekOf(Date.now() / 1000)} />
    )),
  ];
}
