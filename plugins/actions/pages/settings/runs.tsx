import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  Csrf,
  pageRoute,
  formRoute,
  lastPage,
  listHref,
  Pager,
  Problem,
  Section,
  toId,
  type Flash,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { repositoryHome, type Repositories, type Repository } from '@mortise/repositories/api';
import type { RunRow } from '../../models/run.js';
import type { Lifecycle } from '../../services/runs/lifecycle.js';
import type { RunQueries } from '../../services/runs/run-queries.js';
import { t } from '../../texts/index.js';
import { RefLabel } from '../runs/ref-label.js';
import { RunSearchBar, runSearchOf, queryText, type RunSearch } from '../run-search.js';
import { StatusIcon } from '../status.js';
import { BulkButtons } from './bulk-buttons.js';
import { settingsPage, type SettingsLevel } from './level.js';

export interface RunAdminDeps {
  readonly site: Site;
  readonly runQueries: RunQueries;
  readonly lifecycle: Lifecycle;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
}

const acts = ['cancel', 'force', 'delete'] as const;
/** Runs that are ended or deleted at once. */
const maxBulk = 50;

interface RunFilter extends RunSearch {
  /** `owner/name`; empty: all. */
  readonly repository: string;
}

const queryOf = ({ status, ...filter }: RunFilter) => ({ ...filter, status: status || undefined });

interface ListProps {
  readonly base: string;
  readonly filter: RunFilter;
  readonly rows: readonly RunRow[];
  readonly actors: ReadonlyMap<number, Account>;
  readonly known: ReadonlyMap<number, Repository>;
  readonly homeOf: (repository: Repository) => string;
  readonly page: number;
  readonly last: number;
}

const Row = ({
  run,
  repository,
  home,
  actor,
}: {
  run: RunRow;
  repository: Repository;
  home: string;
  actor: string;
}) => {
  const path = `${repository.ownerName}/${repository.name}`;
  return (
    <li class="Box-row d-flex flex-items-start flex-wrap gap-2">
      <input
        type="checkbox"
        name="id"
        value={run.id}
        aria-label={t('runs.choose', { number: String(run.number), name: path })}
      />
      <StatusIcon status={run.status} />
      <div class="list-main min-width-0">
        <a class="text-bold Link--primary wb-break-word" href={`${home}/actions/runs/${run.id}`}>
          {run.title || run.workflow_name}
        </a>
        <div class="color-fg-muted f6 wb-break-word">
          {path} ·{' '}
          {t('list.run', {
            workflow: run.workflow_name || run.workflow_id,
            number: String(run.number),
            event: run.trigger_event,
            actor,
          })}
        </div>
      </div>
      <div class="color-fg-muted f6">
        <RefLabel run={run} home={home} />
        <div>
          <Ago time={Number(run.created_at)} />
        </div>
      </div>
    </li>
  );
};

function RunsOfSite({ base, filter, rows, actors, known, homeOf, page, last }: ListProps): VNode {
  return (
    <Section title={t('settings.runs')}>
      <RunSearchBar name="repository" value={filter.repository} label={t('runs.repository')} search={filter} />
      {rows.length === 0 ? (
        <Blankslate level={3} icon="play" title={t('list.none')} />
      ) : (
        <form method="post" action={listHref(`${base}/bulk`, { ...queryOf(filter), page })}>
          <Csrf />
          <ul class="Box list-style-none mb-3">
            {rows.map((run) => {
              const repository = known.get(run.repository_id);
              const actor = actors.get(run.trigger_user_id)?.name ?? 'gitea-actions';
              return repository ? <Row key={run.id} {...{ run, repository, actor }} home={homeOf(repository)} /> : null;
            })}
          </ul>
          <BulkButtons acts={acts} label={(what) => t(`runs.bulk.${what}`)} />
        </form>
      )}
      <Pager page={page} last={last} href={(number) => listHref(base, { ...queryOf(filter), page: number })} />
    </Section>
  );
}

/** Runs of all repositories, for administrators of the site: found, cancelled, deleted. */
export function runAdminPages<S>(level: SettingsLevel<S>, deps: RunAdminDeps): Route[] {
  const { site, runQueries, lifecycle, accounts, repositories } = deps;
  const path = `${level.path}/runs`;
  const { access } = level;
  const baseOf = (context: RouteContext<S>) => `${level.base(context)}/runs`;

  const filterOf = (context: RouteContext<S>): RunFilter => {
    const query = context.query as Readonly<Record<string, unknown>>;
    return { repository: queryText(query, 'repository'), ...runSearchOf(query) };
  };
  const found = async ({ repository, ...filter }: RunFilter, context: RouteContext<S>) => {
    const { limit, offset } = context.page;
    const [owner = '', name = ''] = repository.split('/');
    const one = repository ? await repositories.byPath(owner, name) : undefined;
    if (repository && !one) return { rows: [], total: 0 };
    return runQueries.runs(one ? { repositoryId: one.id } : { site: true }, filter, { limit, offset }, context.actor);
  };
  /** What `?done=…&refused=…` says, which acting on several leads to. */
  const doneFlash = (context: RouteContext<S>): Flash | undefined => {
    const query = context.query as Readonly<Record<string, unknown>>;
    const counts = [query.done, query.refused].map((text) => (/^\d{1,3}$/.test(String(text)) ? Number(text) : 0));
    const [done = 0, refused = 0] = counts;
    if (done + refused === 0) return undefined;
    const text = refused ? t.later('runs.bulk.some', { done, refused }) : t.later('runs.bulk.done', { done });
    return { kind: done ? 'success' : 'info', text };
  };
  const show = async (context: RouteContext<S>, _sent?: unknown, flash: Flash | undefined = doneFlash(context)) => {
    const filter = filterOf(context);
    const { rows, total } = await found(filter, context);
    const body = (
      <RunsOfSite
        base={baseOf(context)}
        {...{ filter, rows }}
        actors={await accounts.byIds([...new Set(rows.map((row) => row.trigger_user_id))])}
        known={await repositories.byIds([...new Set(rows.map((row) => row.repository_id))])}
        homeOf={(repository) => repositoryHome(site, repository)}
        page={context.page.page}
        last={lastPage(total, context.page.limit)}
      />
    );
    return settingsPage(level, context, 'runs', body, flash);
  };
  return [
    pageRoute<S>(path, access, (context) => show(context)),
    formRoute<S>(
      `${path}/bulk`,
      access,
      async (context, values) => {
        const ids = [...new Set([values.id ?? []].flat().map(toId))].filter(Boolean).slice(0, maxBulk);
        let done = 0;
        for (const id of ids)
          try {
            if (values.what === 'delete') await lifecycle.delete(id);
            else if (values.what === 'cancel' || values.what === 'force')
              await lifecycle.cancel(id, { force: values.what === 'force' });
            else break;
            done++;
          } catch (error) {
            // it ended, or went, by itself meanwhile; what goes on stays
            if (!Problem.is(error)) throw error;
          }
        const { page } = context.page;
        return listHref(baseOf(context), { ...queryOf(filterOf(context)), page, done, refused: ids.length - done });
      },
      show,
    ),
  ];
}
