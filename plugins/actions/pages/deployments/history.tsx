import type { VNode } from 'preact';
import { Ago, Blankslate, icon, listHref, Pager } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { DeploymentRow } from '../../models/deployment.js';
import type { EnvironmentRow } from '../../models/environment.js';
import { splitRef } from '../../services/runs/github-context.js';
import { t } from '../../texts/index.js';
import { rulesText } from '../settings/environment-views.js';
import { StatusIcon } from '../status.js';

interface DeploymentHistoryProps {
  /** Path of Actions of the repository. */
  readonly base: string;
  readonly environments: readonly EnvironmentRow[];
  /** The one that is shown; undefined: all. */
  readonly chosen: EnvironmentRow | undefined;
  /** What stands in each environment. */
  readonly current: ReadonlyMap<number, DeploymentRow>;
  readonly rows: readonly DeploymentRow[];
  readonly environmentOf: ReadonlyMap<number, EnvironmentRow>;
  readonly creators: ReadonlyMap<number, Account>;
  readonly page: number;
  readonly last: number;
  readonly mayAdminister: boolean;
}

const hrefOf = (base: string, environment?: EnvironmentRow, page?: number): string =>
  listHref(`${base}/deployments`, { environment: environment?.name, page });

const Address = ({ url }: { readonly url: string }): VNode => (
  <a class="wb-break-word" href={url} rel="nofollow noopener">
    {url.replace(/^https?:\/\//, '').replace(/\/$/, '')} {icon('link-external')}
  </a>
);

const Current = ({ props, row }: { props: DeploymentHistoryProps; row: EnvironmentRow }): VNode => {
  const { base, current, mayAdminister } = props;
  const deployment = current.get(row.id);
  const home = base.replace(/\/actions$/, '');
  return (
    <div class="Box p-3 mb-3">
      <div class="d-flex flex-wrap gap-2 flex-items-center">
        <h2 class="f4 flex-auto wb-break-word">{row.name}</h2>
        {mayAdminister ? (
          <a class="btn btn-sm" href={`${home}/settings/actions/environments/${row.id}`}>
            {t('environment.edit')}
          </a>
        ) : null}
      </div>
      {rulesText(row) ? <p class="color-fg-muted mb-1 wb-break-word">{rulesText(row)}</p> : null}
      {deployment ? (
        <p class="mb-0">
          {t.rich('deployment.current', {
            commit: (
              <a class="text-mono" href={`${home}/commit/${deployment.commit_sha}`}>
                {deployment.commit_sha.slice(0, 10)}
              </a>
            ),
            when: <Ago time={Number(deployment.updated_at)} />,
          })}{' '}
          {deployment.url ? <Address url={deployment.url} /> : null}
        </p>
      ) : (
        <p class="color-fg-muted mb-0">{t('deployment.never')}</p>
      )}
    </div>
  );
};

const DeploymentLine = ({ props, row }: { props: DeploymentHistoryProps; row: DeploymentRow }): VNode => {
  const { base, environmentOf, creators } = props;
  const home = base.replace(/\/actions$/, '');
  return (
    <li class="Box-row d-flex flex-items-start flex-wrap gap-2">
      <StatusIcon status={row.status} />
      <div class="list-main min-width-0">
        <a class="text-bold Link--primary wb-break-word" href={`${base}/runs/${row.run_id}/jobs/${row.job_id}`}>
          {environmentOf.get(row.environment_id)?.name ?? ''}
        </a>
        <div class="color-fg-muted f6 wb-break-word">
          {t.rich('deployment.facts', {
            commit: (
              <a class="text-mono" href={`${home}/commit/${row.commit_sha}`}>
                {row.commit_sha.slice(0, 10)}
              </a>
            ),
            branch: <span class="branch-name">{splitRef(row.ref).name}</span>,
            user: creators.get(row.creator_id)?.name ?? 'gitea-actions',
          })}
        </div>
        {row.url ? (
          <div class="f6">
            <Address url={row.url} />
          </div>
        ) : null}
      </div>
      <div class="color-fg-muted f6">
        <Ago time={Number(row.created_at)} />
      </div>
    </li>
  );
};

/** Environments at the side, and what was deployed to all of them or to one. */
export const DeploymentHistoryView = (props: DeploymentHistoryProps): VNode => {
  const { base, environments, chosen, rows, page, last } = props;
  return (
    <div class="d-md-flex menu-layout">
      <nav class="menu mb-3 flex-shrink-0 flex-self-start" aria-label={t('settings.environments')}>
        <a class="menu-item" href={base}>
          {icon('arrow-left')} {t('list.all')}
        </a>
        <a class="menu-item" href={hrefOf(base)} aria-current={chosen ? undefined : 'page'}>
          {t('deployment.all')}
        </a>
        {environments.map((one) => (
          <a
            key={one.id}
            class="menu-item wb-break-word"
            href={hrefOf(base, one)}
            aria-current={one.id === chosen?.id ? 'page' : undefined}
          >
            {one.name}
          </a>
        ))}
      </nav>
      <div class="flex-auto min-width-0">
        {chosen ? <Current props={props} row={chosen} /> : <h2 class="f3 text-normal mb-3">{t('deployment.all')}</h2>}
        {rows.length === 0 ? (
          <Blankslate level={3} icon="rocket" title={t('deployment.none')}>
            <p>{t('deployment.noneNote')}</p>
          </Blankslate>
        ) : (
          <ul class="Box list-style-none mb-3" aria-label={t('deployment.all')}>
            {rows.map((row) => (
              <DeploymentLine key={row.id} {...{ props, row }} />
            ))}
          </ul>
        )}
        <Pager page={page} last={last} href={(number) => hrefOf(base, chosen, number)} />
      </div>
    </div>
  );
};
