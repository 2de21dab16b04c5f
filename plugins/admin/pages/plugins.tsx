import type { VNode } from 'preact';
import {
  actAudited,
  Ago,
  apiTime,
  BadRequest,
  defineRoute,
  formatList,
  Joi,
  pageRoute,
  PostButton,
  postRoute,
  reply,
  Section,
  formStatus,
  type Actor,
  type Database,
  type Events,
  type Flash,
  type PluginCatalogue,
  type PluginChange,
  type PluginChanges,
  type PluginDirectory,
  type PluginState,
  type PluginSwitches,
  type RestartState,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { AdminPage } from '../api.js';
import { pluginCatalogueRoutes } from '../routes/plugin-catalogue.js';
import { pluginChangeRoutes } from '../routes/plugin-changes.js';
import { isNeededHere, PluginChangeRequests } from '../services/plugin-change-requests.js';
import { t } from '../texts/index.js';
import { CatalogueLink, pluginCataloguePages } from './plugin-catalogue.js';
import { ChangeButtons, InstallForm, isOpen, OpenChange, pluginChangePages } from './plugin-changes.js';

const State = ({ enabled, problem, waiting }: PluginState): VNode => (
  <>
    {problem ? (
      <span class="Label Label--danger">{t('plugins.failed')}</span>
    ) : enabled ? (
      <span class="Label Label--success">{t('plugins.enabled')}</span>
    ) : (
      <span class="Label">{t('plugins.disabled')}</span>
    )}{' '}
    {waiting ? <span class="Label Label--attention">{t(`plugins.waiting.${waiting}`)}</span> : null}
  </>
);

const Faults = ({ errors }: Pick<PluginState, 'errors'>): VNode | null =>
  errors.length === 0 ? null : (
    <details>
      <summary class="color-fg-danger">{t('plugins.faults', { count: errors.length })}</summary>
      <ul class="ml-3">
        {errors.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </details>
  );

interface PluginListProps {
  readonly plugins: readonly PluginState[];
  readonly dependents: (name: string) => readonly string[];
  readonly canRestart: boolean;
  readonly restart: RestartState | undefined;
  readonly action: string;
  /** The change that goes on. */
  readonly change: PluginChange | undefined;
  readonly canInstall: boolean;
}

/** What the next start does with the plugin decides what can be changed of it. */
const isOnNext = ({ enabled, problem, waiting }: PluginState): boolean =>
  waiting === 'start' || waiting === 'update' || (waiting !== 'stop' && (enabled || problem !== undefined));

const Switches = ({
  plugin,
  dependents,
  action,
}: { readonly plugin: PluginState } & Pick<PluginListProps, 'dependents' | 'action'>): VNode | null => {
  const { name, problem } = plugin;
  const others = dependents(name);
  if (isNeededHere(name, others)) return null;
  const target = `${action}/${encodeURIComponent(name)}`;
  return (
    <>
      {problem !== undefined || !isOnNext(plugin) ? (
        <PostButton
          action={`${target}/enable`}
          label={t(problem === undefined ? 'plugins.enableOf' : 'plugins.retryOf', { name })}
        >
          {t(problem === undefined ? 'plugins.enable' : 'plugins.retry')}
        </PostButton>
      ) : null}{' '}
      {isOnNext(plugin) ? (
        <PostButton
          action={`${target}/disable`}
          label={t('plugins.disableOf', { name })}
          confirm={
            others.length === 0
              ? t('plugins.disableAlone', { name })
              : t('plugins.disableWith', { name, others: others.join(', '), count: others.length })
          }
        >
          {t('plugins.disable')}
        </PostButton>
      ) : null}
    </>
  );
};

/** What waits for a restart, and the button that begins it. */
const Restart = ({ plugins, canRestart, restart, action }: PluginListProps): VNode | null => {
  const waiting = plugins.filter((one) => one.waiting);
  if (restart?.state === 'running')
    return (
      <p class="flash mb-3" role="status">
        {t('plugins.restartRuns')} <Ago time={restart.beganAt} /> <a href={action}>{t('plugins.look')}</a>
      </p>
    );
  return (
    <>
      {restart?.state === 'failed' ? (
        <p class="flash flash-error mb-3" role="alert">
          {t('plugins.restartFailed')} <Ago time={restart.beganAt} />
        </p>
      ) : null}
      {waiting.length === 0 ? null : (
        <p class="flash flash-warn mb-3">
          {t('plugins.wait', { count: waiting.length, names: waiting.map(({ name }) => name).join(', ') })}{' '}
          {canRestart ? null : t('plugins.restartByHand')}
        </p>
      )}
      {canRestart ? (
        <PostButton action={`${action}/restart`} formClass="mb-3" label={t('plugins.restart')}>
          {t('plugins.restart')}
        </PostButton>
      ) : null}
    </>
  );
};

/** All plugins that are there, with their versions, whether they run, what went wrong in them, and their switches. */
const PluginList = (props: PluginListProps): VNode => (
  <Section title={t('plugins.title')}>
    {props.change ? <OpenChange change={props.change} action={props.action} /> : null}
    <Restart {...props} />
    <p class="color-fg-muted">
      {t.rich('plugins.note', { setting: <code>[plugins]</code>, command: <code>mortise plugins</code> })}
    </p>
    <table class="data-table" data-sortable>
      <thead>
        <tr>
          <th scope="col">{t('plugins.name')}</th>
          <th scope="col">{t('plugins.version')}</th>
          <th scope="col">{t('plugins.state')}</th>
          <th scope="col">{t('plugins.description')}</th>
          <th scope="col">
            <span class="sr-only">{t('plugins.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {[...props.plugins]
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map((plugin) => (
            <tr key={plugin.name}>
              <td class="text-mono">{plugin.name}</td>
              <td class="no-wrap">
                {plugin.version}
                {plugin.onDisk ? ` → ${plugin.onDisk}` : ''}
              </td>
              <td class="no-wrap">
                <State {...plugin} />
              </td>
              <td class="wb-break-word">
                {plugin.problem ?? plugin.description}
                {plugin.overrides.length > 0 ? (
                  <p class="f6 color-fg-muted mt-1">
                    {t('plugins.overrides', { services: formatList(plugin.overrides) })}
                  </p>
                ) : null}
                <Faults errors={plugin.errors} />
              </td>
              <td class="text-right">
                <Switches {...props} plugin={plugin} />{' '}
                {props.canInstall && plugin.from === 'added' ? (
                  <ChangeButtons plugin={plugin} action={props.action} />
                ) : null}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  </Section>
);

interface Services {
  readonly adminPage: AdminPage;
  readonly catalogue: PluginCatalogue;
  readonly changes: PluginChanges;
  readonly database: Database;
  readonly events: Events;
  readonly plugins: PluginDirectory;
  readonly site: Site;
  readonly switches: PluginSwitches;
}

const stateSchema = Joi.object({
  name: Joi.string().required(),
  version: Joi.string().allow('').required(),
  description: Joi.string().allow('').required(),
  enabled: Joi.boolean().required(),
  problem: Joi.string().description('Why the site goes on without it'),
  waiting: Joi.string().valid('start', 'update', 'stop').description('What the next restart changes'),
  overrides: Joi.array().items(Joi.string()).required().description('Services of other plugins that it overrides'),
  errors: Joi.array().items(Joi.string()).required().description('What went wrong in it in the last 30 days'),
}).label('Plugin');
const changedSchema = Joi.object({
  changed: Joi.array().items(Joi.string()).required().description('Plugins that a restart starts or ends'),
}).label('PluginSwitch');
const restartSchema = Joi.object({
  state: Joi.string().valid('none', 'running', 'done', 'failed').required(),
  began: Joi.string().isoDate(),
}).label('Restart');

const shown = ({ name, version, description, enabled, problem, waiting, overrides, errors }: PluginState) => ({
  name,
  version,
  description,
  enabled,
  ...(problem !== undefined && { problem }),
  ...(waiting && { waiting }),
  overrides,
  errors,
});

/** The acts behind the buttons and the API, each with its entry in the audit log. */
function acts({ database, events, switches }: Services) {
  const record = (action: string, target: { kind: string; name: string }, changed: readonly string[] = []) =>
    database.write(() =>
      events.emit(actAudited, { action, target, ...(changed.length > 0 && { details: { changed } }) }),
    );
  return {
    async change(kind: 'enable' | 'disable', name: string): Promise<readonly string[]> {
      if (kind === 'disable' && isNeededHere(name, switches.dependents(name)))
        throw BadRequest(t.later('plugins.needed', { name }));
      const changed = await switches[kind](name);
      if (changed.length > 0) await record(`plugin.${kind}`, { kind: 'plugin', name }, changed);
      return changed;
    },
    async restart(): Promise<void> {
      switches.restart();
      await record('server.restart', { kind: 'server', name: 'workers' });
    },
  };
}

/** What was switched just now; an address that names anything else says nothing. */
function changedFlash(changed: string | undefined, states: readonly PluginState[]): Flash | undefined {
  const names = changed?.split(',').filter((name) => states.some((one) => one.name === name)) ?? [];
  return names.length === 0
    ? undefined
    : { kind: 'success', text: t.later('plugins.changed', { names: names.join(', ') }) };
}

/** Plugins as a page and over the API: which run, changing and switching them, and the restart of the workers. */
export function pluginRoutes(services: Services): readonly Route[] {
  const { adminPage, catalogue, changes, plugins, site, switches } = services;
  const access = { actor: 'admin' } as const;
  const action = site.path('/-/admin/plugins');
  const { change, restart } = acts(services);
  const requests = new PluginChangeRequests(services);
  const dependents = (name: string) => switches.dependents(name);
  const showList = async (
    actor: Actor,
    flashOf: (states: readonly PluginState[]) => Flash | undefined,
    packageName = '',
  ) => {
    const [states, last, [newest]] = await Promise.all([plugins.states(), switches.lastRestart(), changes.list()]);
    const flash = flashOf(states);
    return adminPage({
      active: 'plugins',
      title: t.later('plugins.title'),
      actor,
      flash,
      status: formStatus(flash),
      body: (
        <>
          <PluginList
            plugins={states}
            dependents={dependents}
            canRestart={switches.canRestart}
            restart={last}
            action={action}
            change={newest && isOpen(newest) ? newest : undefined}
            canInstall={changes.isEnabled}
          />
          {catalogue.host === undefined ? null : <CatalogueLink action={action} />}
          <InstallForm action={action} isEnabled={changes.isEnabled} packageName={packageName} />
        </>
      ),
    });
  };
  return [
    ...pluginApi(services, { change, restart }),
    ...pluginCatalogueRoutes(catalogue),
    ...pluginCataloguePages({ adminPage, catalogue, canInstall: () => changes.isEnabled, site }),
    ...pluginChangeRoutes({ changes, requests }),
    ...pluginChangePages({
      ...services,
      dependents,
      requests,
      showList: (actor, flash, packageName) => showList(actor, () => flash, packageName),
    }),
    pageRoute(
      '/-/admin/plugins',
      access,
      ({ actor, query: { changed } }) => showList(actor, (states) => changedFlash(changed, states)),
      { query: Joi.object<{ readonly changed?: string }>({ changed: Joi.string().max(2000) }) },
    ),
    ...(['enable', 'disable'] as const).map((kind) =>
      postRoute(`/-/admin/plugins/{plugin}/${kind}`, access, async ({ params }) => {
        const changed = await change(kind, params.plugin!);
        const query = changed.length > 0 ? `?changed=${encodeURIComponent(changed.join(','))}` : '';
        return reply.redirect(`${action}${query}`, 303);
      }),
    ),
    postRoute('/-/admin/plugins/restart', access, async () => {
      await restart();
      return reply.redirect(action, 303);
    }),
  ];
}

function pluginApi(
  { plugins, switches }: Pick<Services, 'plugins' | 'switches'>,
  { change, restart }: ReturnType<typeof acts>,
): readonly Route[] {
  const access = { actor: 'admin', scope: 'admin' } as const;
  const tags = ['admin'];
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/admin/plugins',
      id: 'adminListPlugins',
      tags,
      summary: 'Plugins, and whether they run',
      access,
      responses: { 200: Joi.array().items(stateSchema).label('PluginList') },
      async handler({ page }) {
        const all = await plugins.states();
        return reply.list(all.slice(page.offset, page.offset + page.limit).map(shown), all.length);
      },
    }),
    ...(['enable', 'disable'] as const).map((kind) =>
      defineRoute({
        method: 'POST',
        path: `/api/v1/admin/plugins/{plugin}/${kind}`,
        id: kind === 'enable' ? 'adminEnablePlugin' : 'adminDisablePlugin',
        tags,
        summary: kind === 'enable' ? 'Enable a plugin with the next restart' : 'Disable a plugin with the next restart',
        access,
        responses: { 200: changedSchema },
        async handler({ params }) {
          return reply.json({ changed: await change(kind, params.plugin!) });
        },
      }),
    ),
    defineRoute({
      method: 'GET',
      path: '/api/v1/admin/restart',
      id: 'adminGetRestart',
      tags,
      summary: 'How the last restart of the workers went',
      access,
      responses: { 200: restartSchema },
      async handler() {
        const last = await switches.lastRestart();
        return reply.json(last ? { state: last.state, began: apiTime(last.beganAt) } : { state: 'none' });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/admin/restart',
      id: 'adminRestart',
      tags,
      summary: 'Replace the workers one after the other',
      access,
      responses: { 204: null },
      async handler() {
        await restart();
        return reply.none();
      },
    }),
  ];
}
