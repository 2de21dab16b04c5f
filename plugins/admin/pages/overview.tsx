import type { VNode } from 'preact';
import {
  Ago,
  formatNumber,
  formatPercent,
  formatSize,
  icon,
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
import type { OverviewCount, SiteProblem, SiteProblemSource } from '../contract/admin.js';
import type { GaugeHistory, GaugeSample } from '../services/gauge-history.js';
import { lowDiskShare } from '../services/problems.js';
import type { AdminPage } from '../api.js';
import { GaugeCharts } from './gauge-charts.js';

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
  readonly problems: readonly SiteProblem[];
  readonly samples: readonly GaugeSample[];
  readonly path: (path: string) => string;
  readonly lastBackupAt: number | undefined;
  readonly healthHref: string;
  readonly pluginsHref: string;
}

const engines = { sqlite: 'SQLite', mysql: 'MySQL / MariaDB' } as const;

/** What an administrator wants to see first: what runs, how full it is, and what fails. */
function Overview(props: OverviewProps): VNode {
  const { version, engine, plugins, counts, healthHref, pluginsHref } = props;
  return (
    <>
      <Problems problems={props.problems} path={props.path} />
      <Section title={t('overview.title')}>
        <table class="data-table">
          <tbody>
            <Fact name={t('overview.version')}>{version}</Fact>
            <Fact name={t('overview.node')}>{process.versions.node}</Fact>
            <Fact name={t('overview.database')}>{engines[engine]}</Fact>
            <Fact name={t('overview.started')}>
              <Ago time={Date.now() - process.uptime() * 1000} />
            </Fact>
            <Fact name={t('overview.memory')}>{formatSize(process.memoryUsage.rss())}</Fact>
            <Fact name={t('overview.backup')}>
              {props.lastBackupAt === undefined ? t('overview.noBackup') : <Ago time={props.lastBackupAt} />}
            </Fact>
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
      <GaugeCharts samples={props.samples} />
      <Disks disks={props.disks} />
      <Queues queues={props.queues} />
    </>
  );
}

/** First what an administrator should see to. */
const Problems = ({ problems, path }: Pick<OverviewProps, 'problems' | 'path'>): VNode | null =>
  problems.length === 0 ? null : (
    <Section title={t('overview.problems')}>
      <ul class="Box list-style-none">
        {problems.map((problem) => (
          <li class="Box-row d-flex gap-2">
            {icon('alert', { class: 'color-fg-attention' })}
            <span class="wb-break-word">
              {problem.path ? <a href={path(problem.path)}>{textOf(problem.text)}</a> : textOf(problem.text)}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );

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
              {free < size * lowDiskShare ? <span class="Label Label--attention">{t('disks.low')}</span> : null}
              <Usage share={size > 0 ? 1 - free / size : 0} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Section>
);

/** How full it is, as a bar; the numbers stand beside it. */
const Usage = ({ share }: { readonly share: number }): VNode => (
  <span class="Progress mt-1" aria-hidden="true">
    <span
      class={`Progress-item ${share > 1 - lowDiskShare ? 'color-bg-danger-emphasis' : 'color-bg-success-emphasis'}`}
      style={{ width: `${Math.round(share * 100)}%` }}
    />
  </span>
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
  readonly gauges: GaugeHistory;
  readonly counts: PointReader<OverviewCount>;
  readonly problems: PointReader<SiteProblemSource>;
}

/** How the site is doing, and what it is made of. */
export function overviewRoutes({
  adminPage,
  database,
  plugins,
  site,
  state,
  gauges,
  counts,
  problems,
}: Services): readonly Route[] {
  const access = { actor: 'admin' } as const;
  return [
    pageRoute('/-/admin', access, async ({ actor }) => {
      const [found, lastBackupAt, queues, disks, results] = await Promise.all([
        Promise.all(problems.list().map((source) => source.find())),
        state.lastBackupAt(),
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
            problems={found.flat()}
            samples={gauges.list()}
            path={(path) => site.path(path)}
            lastBackupAt={lastBackupAt}
            healthHref={site.path('/api/healthz')}
            pluginsHref={site.path('/-/admin/plugins')}
          />
        ),
      });
    }),
  ];
}
