import type { VNode } from 'preact';
import {
  Ago,
  formatNumber,
  formatPercent,
  formatSize,
  pageRoute,
  Section,
  textOf,
  type DiskState,
  type PluginState,
  type QueueState,
  type Text,
  type Database,
  type PluginDirectory,
  type PointReader,
  type Route,
  type Site,
  type SiteState,
} from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { OverviewCount } from '../contract/admin.js';
import type { AdminPage } from '../api.js';
import { PluginList } from './plugins.js';

interface OverviewProps {
  readonly version: string;
  readonly engine: 'sqlite' | 'mysql';
  readonly plugins: readonly PluginState[];
  readonly queues: readonly QueueState[];
  readonly disks: readonly DiskState[];
  readonly counts: readonly {
    readonly key: string;
    readonly label: Text;
    readonly href: string | undefined;
    readonly count: number;
  }[];
  readonly healthHref: string;
  readonly pluginsHref: string;
}

const engines = { sqlite: 'SQLite', mysql: 'MySQL / MariaDB' } as const;
/** Less than this share of a disk is worth a word. */
const little = 0.1;

/** What an administrator wants to see first: what runs, how full it is, and what fails. */
function Overview(props: OverviewProps): VNode {
  const { version, engine, plugins, counts, healthHref, pluginsHref } = props;
  const failed = plugins.filter(({ problem }) => problem);
  const faulty = plugins.filter(({ problem, errors: faults }) => !problem && faults.length > 0);
  return (
    <>
      <Section title={t('overview.title')}>
        {failed.length > 0 ? (
          <p class="flash flash-warn">
            {t('overview.troubled', { count: failed.length })} <a href={pluginsHref}>{t('overview.showPlugins')}</a>
          </p>
        ) : null}
        {faulty.length > 0 ? (
          <p class="flash flash-warn">
            {t('overview.faulty', { count: faulty.length })} <a href={pluginsHref}>{t('overview.showPlugins')}</a>
          </p>
        ) : null}
        <table class="data-table">
          <tbody>
            <Fact name={t('overview.version')}>{version}</Fact>
            <Fact name={t('overview.node')}>{process.versions.node}</Fact>
            <Fact name={t('overview.database')}>{engines[engine]}</Fact>
            <Fact name={t('overview.started')}>
              <Ago time={Date.now() - process.uptime() * 1000} />
            </Fact>
            <Fact name={t('overview.memory')}>{formatSize(process.memoryUsage.rss())}</Fact>
            <Fact name={t('overview.plugins')}>
              <a href={pluginsHref}>{formatNumber(plugins.filter(({ enabled }) => enabled).length)}</a>
            </Fact>
            <Fact name={t('overview.health')}>
              <a href={healthHref}>{t('overview.healthCheck')}</a>
            </Fact>
            {counts.map(({ key, label, href, count }) => (
              <Fact key={key} name={textOf(label)}>
                {href ? <a href={href}>{formatNumber(count)}</a> : formatNumber(count)}
              </Fact>
            ))}
          </tbody>
        </table>
      </Section>
      <Disks disks={props.disks} />
      <Queues queues={props.queues} />
    </>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: VNode | string }): VNode => (
  <tr>
    <th scope="row">{name}</th>
    <td>{children}</td>
  </tr>
);

const Disks = ({ disks }: { readonly disks: readonly DiskState[] }): VNode => (
  <Section title={t('disks.title')}>
    <table class="data-table" data-sortable>
      <thead>
        <tr>
          <th scope="col">{t('disks.folder')}</th>
          <th scope="col">{t('disks.size')}</th>
          <th scope="col">{t('disks.free')}</th>
        </tr>
      </thead>
      <tbody>
        {disks.map(({ folder, size, free }) => (
          <tr key={folder}>
            <td class="text-mono">{folder}</td>
            <td data-value={size}>{formatSize(size)}</td>
            <td data-value={free}>
              {formatSize(free)} ({formatPercent(size > 0 ? free / size : 0, 0)}){' '}
              {free < size * little ? <span class="Label Label--attention">{t('disks.low')}</span> : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Section>
);

const Queues = ({ queues }: { readonly queues: readonly QueueState[] }): VNode => (
  <Section title={t('queues.title')}>
    {queues.length === 0 ? (
      <p class="color-fg-muted">{t('queues.none')}</p>
    ) : (
      <table class="data-table" data-sortable>
        <thead>
          <tr>
            <th scope="col">{t('queues.name')}</th>
            <th scope="col">{t('queues.waiting')}</th>
            <th scope="col">{t('queues.running')}</th>
            <th scope="col">{t('queues.failed')}</th>
          </tr>
        </thead>
        <tbody>
          {queues.map(({ name, waiting, running, failed }) => (
            <tr key={name}>
              <td class="text-mono">{name}</td>
              {[waiting, running, failed].map((count) => (
                <td data-value={count}>{formatNumber(count)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Section>
);

interface Services {
  readonly adminPage: AdminPage;
  readonly database: Database;
  readonly plugins: PluginDirectory;
  readonly site: Site;
  readonly state: SiteState;
  readonly counts: PointReader<OverviewCount>;
}

/** How the site is doing, and what it is made of. */
export function overviewRoutes({ adminPage, database, plugins, site, state, counts }: Services): readonly Route[] {
  const access = { actor: 'admin' } as const;
  return [
    pageRoute('/-/admin', access, async ({ actor }) => {
      const [queues, disks, results] = await Promise.all([
        state.queues(),
        state.disks(),
        Promise.all(
          counts.list().map(async ({ key, label, href, count }) => ({
            key,
            label,
            href: href && site.path(href),
            count: await count(),
          })),
        ),
      ]);
      return adminPage({
        active: 'overview',
        title: t.later('overview.title'),
        actor,
        body: (
          <Overview
            version={site.version}
            engine={database.engine}
            plugins={await plugins.states()}
            queues={queues}
            disks={disks}
            counts={results}
            healthHref={site.path('/api/healthz')}
            pluginsHref={site.path('/-/admin/plugins')}
          />
        ),
      });
    }),
    pageRoute('/-/admin/plugins', access, async ({ actor }) => {
      const states = await plugins.states();
      return adminPage({
        active: 'plugins',
        title: t.later('plugins.title'),
        actor,
        body: <PluginList plugins={states} />,
      });
    }),
  ];
}
