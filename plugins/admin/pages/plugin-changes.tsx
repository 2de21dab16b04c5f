import type { ComponentChildren, VNode } from 'preact';
import {
  Ago,
  Csrf,
  checkTypedName,
  FieldError,
  formatSize,
  formRoute,
  formText,
  Invalid,
  pageRoute,
  PostButton,
  reply,
  Section,
  TextField,
  toId,
  type Actor,
  type Flash,
  type PluginChange,
  type PluginChanges,
  type PluginContents,
  type PluginState,
  type Route,
  type Site,
  postRoute,
} from '@mortise/plugin-sdk';
import type { AdminPage } from '../api.js';
import { changeParams, chosenFile, maxPackedBytes } from '../routes/plugin-changes.js';
import type { PluginChangeRequests } from '../services/plugin-change-requests.js';
import { t } from '../texts/index.js';

interface InstallFormProps {
  readonly action: string;
  readonly isEnabled: boolean;
  readonly packageName: string;
}

/** Adds a plugin, or updates the one of its name. */
export const InstallForm = ({ action, isEnabled, packageName }: InstallFormProps): VNode => (
  <Section title={t('changes.install')}>
    {isEnabled ? (
      <form method="post" action={`${action}/install`} encType="multipart/form-data">
        <Csrf />
        <p class="color-fg-muted">{t('changes.trust')}</p>
        <TextField
          name="package"
          label={t('changes.package')}
          note={t('changes.packageNote', { example: '@acme/mortise-plugin-shelf@^1' })}
          value={packageName}
          maxLength={250}
          autocapitalize="none"
          autocomplete="off"
        />
        <div class="form-group mt-0 mb-3">
          <div class="form-group-header">
            <label for="field-file">{t('changes.file')}</label>
          </div>
          <input type="file" id="field-file" name="file" accept=".tgz,.tar.gz,application/gzip" />
          <FieldError of={{ name: 'file' }} />
        </div>
        <button class="btn btn-primary" type="submit">
          {t('changes.prepare')}
        </button>
      </form>
    ) : (
      <p class="color-fg-muted">
        {t.rich('changes.off', {
          setting: <code>[plugins] ENABLE_INSTALLATION</code>,
          command: <code>mortise plugins</code>,
        })}
      </p>
    )}
  </Section>
);

/** Of an added plugin. */
export const ChangeButtons = ({ plugin, action }: { readonly plugin: PluginState; readonly action: string }): VNode => {
  const target = `${action}/${encodeURIComponent(plugin.name)}`;
  return (
    <>
      {(['update', 'remove', 'purge'] as const).map((kind) => (
        <PostButton
          key={kind}
          action={`${target}/${kind}`}
          formClass="d-inline-block ml-1 my-1"
          label={t(`changes.title.${kind}`, { name: plugin.name })}
          danger={kind === 'purge'}
        >
          {t(`changes.button.${kind}`)}
        </PostButton>
      ))}
    </>
  );
};

/** The change that was asked for last, as long as there is something to do about it. */
export const OpenChange = ({ change, action }: { readonly change: PluginChange; readonly action: string }): VNode => (
  <p class="flash mb-3" role="status">
    <a href={`${action}/changes/${change.id}`}>{titleOf(change)}</a>: {t(`changes.state.${change.state}`)}
  </p>
);

export const isOpen = ({ state, canRetry }: PluginChange): boolean =>
  canRetry || ['preparing', 'proposed', 'running'].includes(state);

const titleOf = ({ kind, plugin, source }: PluginChange): string =>
  t(`changes.title.${kind}`, { name: plugin === '' ? source : plugin });

const Fact = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }): VNode => (
  <tr>
    <th scope="row" class="text-left v-align-top no-wrap pr-3">
      {label}
    </th>
    <td class="wb-break-word">{children}</td>
  </tr>
);

const Names = ({ label, names }: { readonly label: string; readonly names: readonly string[] }): VNode => (
  <Fact label={label}>
    {names.length === 0 ? (
      t('changes.none')
    ) : (
      <ul class="list-style-none">
        {names.map((name) => (
          <li key={name} class="text-mono f6">
            {name}
          </li>
        ))}
      </ul>
    )}
  </Fact>
);

const Contents = ({ contents }: { readonly contents: PluginContents }): VNode => (
  <>
    {(['routes', 'tables', 'settings', 'jobs', 'commands'] as const).map((kind) => (
      <Names key={kind} label={t(`changes.${kind}`)} names={contents[kind]} />
    ))}
    {contents.capabilities ? (
      <Names
        label={t('changes.capabilities')}
        names={contents.capabilities.map((one) => t(`changes.capability.${one}`))}
      />
    ) : null}
  </>
);

const Facts = ({ change, dependents }: ChangeProps): VNode => {
  const { source, version, from, size, integrity, contents } = change;
  return (
    <table class="mb-3">
      <tbody>
        <Fact label={t('changes.source')}>{source}</Fact>
        {version === undefined ? null : (
          <Fact label={t('plugins.version')}>{from === undefined ? version : `${from} → ${version}`}</Fact>
        )}
        {size === undefined ? null : <Fact label={t('changes.size')}>{formatSize(size)}</Fact>}
        {integrity === undefined ? null : (
          <Fact label={t('changes.integrity')}>
            <code class="wb-break-all">{integrity}</code>
          </Fact>
        )}
        {dependents.length > 0 ? <Names label={t('changes.dependents')} names={dependents} /> : null}
        {contents ? <Contents contents={contents} /> : null}
      </tbody>
    </table>
  );
};

const Nodes = ({ nodes }: Pick<PluginChange, 'nodes'>): VNode | null =>
  nodes.length === 0 ? null : (
    <table class="data-table mb-3">
      <thead>
        <tr>
          <th scope="col">{t('changes.node')}</th>
          <th scope="col">{t('plugins.state')}</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ host, state, problem }, at) => (
          <tr key={at}>
            <td class="text-mono">{host}</td>
            <td>
              {t(`changes.node.${state}`)} {problem}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );

interface ChangeProps {
  readonly change: PluginChange;
  /** Plugins that run and cannot do without it. */
  readonly dependents: readonly string[];
}

/** What a change does, the buttons that decide on it, and how far it has come. */
const Change = ({ change, dependents, action }: ChangeProps & { readonly action: string }): VNode => {
  const { id, kind, plugin, state, problem, canRetry, changedAt, nodes } = change;
  const target = `${action}/changes/${id}`;
  return (
    <Section title={titleOf(change)}>
      <div id="plugin-change" data-active={state === 'preparing' || state === 'running' ? '' : undefined}>
        <p role="status">
          <strong>{t(`changes.state.${state}`)}</strong> <Ago time={changedAt} />{' '}
          {state === 'preparing' || state === 'running' ? <a href={target}>{t('plugins.look')}</a> : null}
        </p>
        {problem === undefined ? null : (
          <pre class={`flash ${state === 'cancelled' ? 'flash-warn' : 'flash-error'} ws-pre-wrap`} role="alert">
            {problem}
          </pre>
        )}
        <Nodes nodes={nodes} />
        {state === 'proposed' ? (
          <>
            <p>{t(`changes.effect.${kind}`)}</p>
            <p class="color-fg-muted">{t('changes.rolling')}</p>
            <div class="d-flex flex-wrap gap-2 mb-3">
              {kind === 'purge' ? (
                <PostButton action={`${target}/confirm`} danger confirm={t('changes.effect.purge')} typed={plugin}>
                  {t('changes.button.purge')}
                </PostButton>
              ) : (
                <PostButton action={`${target}/confirm`} class="btn btn-primary">
                  {t(`changes.button.${kind}`)}
                </PostButton>
              )}
              <PostButton action={`${target}/discard`} class="btn">
                {t('changes.discard')}
              </PostButton>
            </div>
          </>
        ) : null}
        {state === 'running' ? (
          <PostButton action={`${target}/cancel`} formClass="mb-3" confirm={t('changes.cancelNote')}>
            {t('changes.cancel')}
          </PostButton>
        ) : null}
        {canRetry ? (
          <PostButton action={`${target}/retry`} formClass="mb-3">
            {t('plugins.retry')}
          </PostButton>
        ) : null}
        {state === 'preparing' ? null : <Facts change={change} dependents={dependents} />}
        <a href={action}>{t('plugins.title')}</a>
      </div>
    </Section>
  );
};

interface Services {
  readonly adminPage: AdminPage;
  readonly changes: PluginChanges;
  readonly dependents: (name: string) => readonly string[];
  readonly requests: PluginChangeRequests;
  readonly site: Site;
  /** The page of all plugins, for a form that is shown again. */
  readonly showList: (actor: Actor, flash: Flash, packageName: string) => unknown;
}

/** Pages that add, update, remove and purge plugins: what it will do, yes or no, and how far it has come. */
export function pluginChangePages(services: Services): readonly Route[] {
  const { adminPage, changes, dependents, requests, site, showList } = services;
  const access = { actor: 'admin' } as const;
  const action = site.path('/-/admin/plugins');
  const pageOf = ({ id }: PluginChange) => `${action}/changes/${id}`;
  const showChange = async (actor: Actor, id: number, flash?: Flash) => {
    const change = await changes.get(id);
    return adminPage({
      active: 'plugins',
      title: t.later('plugins.title'),
      actor,
      ...(flash && { flash, status: 422 }),
      islands: ['admin-plugin-change'],
      body: <Change change={change} dependents={dependents(change.plugin)} action={action} />,
    });
  };
  const idOf = (params: unknown): number => toId((params as { readonly change?: string }).change);
  return [
    formRoute(
      '/-/admin/plugins/install',
      access,
      async (_context, values) => {
        const { file: given } = values as { readonly file?: unknown };
        const file = chosenFile(given);
        const packageName = formText(values, 'package', 250).trim();
        if ((file === undefined) === (packageName === '')) throw Invalid(t.later('changes.oneSource'));
        return pageOf(await changes.install(file ? { file, fileName: file.fileName } : { packageName }));
      },
      ({ actor }, values, flash) => showList(actor, flash, formText(values, 'package', 250)),
      { as: 'multipart', maxBytes: maxPackedBytes + 64 * 1024 },
    ),
    ...(['update', 'remove', 'purge'] as const).map((kind) =>
      postRoute(`/-/admin/plugins/{plugin}/${kind}`, access, async ({ params }) => {
        const name = params.plugin!;
        return reply.redirect(
          pageOf(kind === 'update' ? await changes.update(name) : await requests.propose(kind, name)),
          303,
        );
      }),
    ),
    pageRoute('/-/admin/plugins/changes/{change}', access, ({ actor, params }) => showChange(actor, params.change), {
      params: changeParams,
    }),
    formRoute(
      '/-/admin/plugins/changes/{change}/confirm',
      access,
      async ({ params }, values) => {
        const change = await changes.get(idOf(params));
        if (change.kind === 'purge') checkTypedName(values, change.plugin);
        await requests.confirm(change.id);
        return pageOf(change);
      },
      ({ actor, params }, _values, flash) => showChange(actor, idOf(params), flash),
    ),
    postRoute(
      '/-/admin/plugins/changes/{change}/discard',
      access,
      async ({ params }) => {
        await changes.discard(params.change);
        return reply.redirect(action, 303);
      },
      { params: changeParams },
    ),
    postRoute(
      '/-/admin/plugins/changes/{change}/cancel',
      access,
      async ({ params }) => {
        await requests.discardOrCancel(params.change);
        return reply.redirect(`${action}/changes/${params.change}`, 303);
      },
      { params: changeParams },
    ),
    postRoute(
      '/-/admin/plugins/changes/{change}/retry',
      access,
      async ({ params }) => reply.redirect(pageOf(await changes.retry(params.change)), 303),
      { params: changeParams },
    ),
  ];
}
