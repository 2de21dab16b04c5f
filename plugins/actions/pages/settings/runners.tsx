import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  CheckField,
  CopyBlock,
  Csrf,
  defineRoute,
  formRoute,
  formText,
  isChecked,
  Joi,
  lastPage,
  listHref,
  Pager,
  PostButton,
  SearchBox,
  Section,
  TextField,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { statusName } from '../../contract/states.js';
import type { RegistrationTokens, Runner, RunnerFilter, Runners } from '../../contract/runners.js';
import { t } from '../../texts/index.js';
import { BulkButtons } from './bulk-buttons.js';
import { settingsPage, type SettingsLevel } from './level.js';
import type { RunnerTask, RunnerTasks } from './runner-tasks.js';
import { StatusIcon } from '../status.js';

const bulkActs = ['enable', 'disable', 'delete'] as const;

export interface RunnerPageDeps {
  readonly runners: Runners;
  readonly registrationTokens: RegistrationTokens;
  readonly tasks: RunnerTasks;
  /** Address of the site, for the registration command. */
  readonly rootUrl: string;
}

const sorts = ['newest', 'oldest', 'alphabetically', 'reversealphabetically'] as const;
const maxBulk = 100;
const maxUsable = 50;

const tones = { idle: 'Label--success', active: 'Label--accent', offline: 'Label--secondary' } as const;

const ownerKind = ({ scope }: Runner): 'repository' | 'owner' | 'site' =>
  scope.repositoryId ? 'repository' : scope.ownerId ? 'owner' : 'site';

const RunnerState = ({ runner }: { readonly runner: Runner }): VNode => (
  <>
    <span class={`Label ${tones[runner.status]}`}>{t(`runners.status.${runner.status}`)}</span>
    {runner.isDisabled ? <span class="Label Label--attention ml-1">{t('runners.disabled')}</span> : null}
    {runner.isEphemeral ? <span class="Label ml-1">{t('runners.ephemeral')}</span> : null}
  </>
);

interface ListProps {
  readonly base: string;
  readonly csrf: string;
  readonly items: readonly Runner[];
  readonly page: number;
  readonly last: number;
  readonly filter: RunnerFilter;
  /** Where it was asked for. */
  readonly token?: string;
  readonly rootUrl: string;
  /** Those of others that take jobs from here. */
  readonly usable: readonly Runner[];
  /** The site's: may do something with several at once. */
  readonly hasBulk: boolean;
}

const sortLabels = {
  newest: 'runners.sort.newest',
  oldest: 'runners.sort.oldest',
  alphabetically: 'runners.sort.name',
  reversealphabetically: 'runners.sort.nameDown',
} as const;

interface RowProps {
  readonly runner: Runner;
  /** Address of the list, where it has a page here. */
  readonly base?: string;
  readonly hasBulk?: boolean;
}

const RunnerRow = ({ runner, base, hasBulk }: RowProps): VNode => (
  <li class="Box-row d-flex flex-items-center flex-wrap gap-2">
    {hasBulk ? (
      <input type="checkbox" name="id" value={runner.id} aria-label={t('runners.choose', { name: runner.name })} />
    ) : null}
    <div class="list-main min-width-0">
      {base ? (
        <a class="text-bold wb-break-word" href={`${base}/${runner.id}`}>
          {runner.name}
        </a>
      ) : (
        <strong class="wb-break-word">{runner.name}</strong>
      )}{' '}
      <RunnerState runner={runner} />
      <div class="color-fg-muted f6 wb-break-word">
        {t(`runners.owner.${ownerKind(runner)}`)}
        {runner.version ? ` · ${runner.version}` : ''} ·{' '}
        {runner.lastOnlineAt
          ? t.rich('runners.seen', { when: <Ago time={runner.lastOnlineAt} /> })
          : t('runners.neverSeen')}
      </div>
    </div>
    <div class="d-flex flex-wrap gap-1">
      {runner.labels.slice(0, 20).map((label) => (
        <span key={label} class="Label">
          {label}
        </span>
      ))}
    </div>
  </li>
);

function Registration({ base, csrf, token, rootUrl }: ListProps): VNode {
  return (
    <Section title={t('runners.register')}>
      <p>{t('runners.registerNote')}</p>
      {token ? (
        <>
          <CopyBlock
            text={`act_runner register --no-interactive --instance ${rootUrl} --token ${token}`}
            label={t('runners.copyCommand')}
          />
          <p>{t('runners.token')}</p>
          <CopyBlock text={token} label={t('runners.copyToken')} />
        </>
      ) : null}
      <div class="d-flex flex-wrap gap-2 flex-items-start">
        {token ? null : (
          <PostButton action={`${base}/token`} csrf={csrf} class="btn">
            {t('runners.showToken')}
          </PostButton>
        )}
        <PostButton
          action={`${base}/reset-token`}
          csrf={csrf}
          class="btn btn-danger"
          confirm={t('runners.resetConfirm')}
        >
          {t('runners.reset')}
        </PostButton>
      </div>
    </Section>
  );
}

function RunnerList(props: ListProps): VNode {
  const { base, csrf, items, page, last, filter, usable, hasBulk } = props;
  const rows = (
    <ul class="Box list-style-none mb-3">
      {items.map((runner) => (
        <RunnerRow key={runner.id} runner={runner} base={base} hasBulk={hasBulk} />
      ))}
    </ul>
  );
  return (
    <>
      <Section title={t('settings.runners')}>
        <SearchBox value={filter.text ?? ''} label={t('runners.search')}>
          <select class="form-select" name="sort" aria-label={t('runners.sort')}>
            {sorts.map((one) => (
              <option key={one} value={one} selected={one === filter.sort}>
                {t(sortLabels[one])}
              </option>
            ))}
          </select>
        </SearchBox>
        {items.length === 0 ? (
          <Blankslate level={3} icon="server" title={t('runners.none')}>
            <p>{t('runners.noneNote')}</p>
          </Blankslate>
        ) : hasBulk ? (
          <form method="post" action={`${base}/bulk`}>
            <Csrf token={csrf} />
            {rows}
            <BulkButtons acts={bulkActs} label={(what) => t(`runners.bulk.${what}`)} />
          </form>
        ) : (
          rows
        )}
        <Pager
          page={page}
          last={last}
          href={(number) => listHref(base, { q: filter.text, sort: filter.sort, page: number })}
        />
      </Section>
      {usable.length > 0 ? (
        <Section title={t('runners.usable')}>
          <ul class="Box list-style-none mb-3">
            {usable.slice(0, maxUsable).map((runner) => (
              <RunnerRow key={runner.id} runner={runner} />
            ))}
          </ul>
        </Section>
      ) : null}
      <Registration {...props} />
    </>
  );
}

interface OneProps {
  readonly base: string;
  readonly csrf: string;
  readonly runner: Runner;
  readonly tasks: readonly RunnerTask[];
  readonly page: number;
  readonly more: boolean;
}

function OneRunner({ base, csrf, runner, tasks, page, more }: OneProps): VNode {
  const own = `${base}/${runner.id}`;
  return (
    <>
      <Section title={runner.name} actions={<RunnerState runner={runner} />}>
        <p class="color-fg-muted">
          {t(`runners.owner.${ownerKind(runner)}`)}
          {runner.version ? ` · ${runner.version}` : ''} · {runner.labels.join(', ') || t('runners.noLabels')}
        </p>
        <form method="post" action={own}>
          <Csrf token={csrf} />
          <TextField name="description" label={t('field.description')} value={runner.description} maxLength={255} />
          <CheckField name="disabled" value="on" label={t('runners.disable')} checked={runner.isDisabled} />
          <button class="btn btn-primary mt-2" type="submit">
            {t('action.save')}
          </button>
        </form>
        <PostButton
          action={`${own}/delete`}
          csrf={csrf}
          danger
          formClass="confirm-start mt-3"
          confirm={t('runners.deleteConfirm', { name: runner.name })}
        >
          {t('runners.delete')}
        </PostButton>
      </Section>
      <Section title={t('runners.tasks')}>
        {tasks.length === 0 ? <p class="color-fg-muted">{t('runners.noTasks')}</p> : null}
        <ul class="list-style-none">
          {tasks.map((task) => (
            <li key={task.id} class="d-flex flex-items-center flex-wrap gap-2 py-2 border-bottom">
              <StatusIcon status={task.status} />
              <a class="list-main wb-break-word" href={task.href}>
                {task.repository} · {task.title} · {task.job}
              </a>
              <span class="color-fg-muted f6">
                <span class="sr-only">{t(`status.${statusName(task.status)}`)}</span> <Ago time={task.startedAt} />
              </span>
            </li>
          ))}
        </ul>
        <Pager page={page} more={more} href={(number) => listHref(own, { page: number })} />
        <a href={base}>{t('runners.back')}</a>
      </Section>
    </>
  );
}

const idParam = Joi.object<{ readonly id: number }>({ id: Joi.number().integer().min(1).required() }).unknown();
const perPage = 30;

/** Runners of one level: those that belong there, and those that it may use. */
class RunnerPages<S> {
  readonly level: SettingsLevel<S>;
  readonly deps: RunnerPageDeps;
  readonly path: string;
  readonly isSite: boolean;

  constructor(level: SettingsLevel<S>, deps: RunnerPageDeps) {
    this.level = level;
    this.deps = deps;
    this.path = `${level.path}/runners`;
    this.isSite = level.key === 'site';
  }

  base(context: RouteContext<S>): string {
    return `${this.level.base(context)}/runners`;
  }

  /** Undefined: all of the site. */
  scope(context: RouteContext<S>) {
    return this.isSite ? undefined : this.level.scopeOf(context);
  }

  #filter(context: RouteContext<S>): RunnerFilter {
    const { q, sort } = context.query as { q?: unknown; sort?: unknown };
    return {
      scope: this.scope(context),
      text: typeof q === 'string' ? q.slice(0, 255) : '',
      sort: sorts.find((one) => one === sort) ?? 'newest',
    };
  }

  async showList(context: RouteContext<S>, flash?: Flash, token?: string) {
    const { runners, rootUrl } = this.deps;
    const { page, limit, offset } = context.page;
    const filter = this.#filter(context);
    const { items, total } = await runners.list(filter, { limit, offset });
    const { ownerId, repositoryId } = this.level.scopeOf(context);
    const usable = this.isSite ? [] : await runners.usableFor(this.level.placeOf(context));
    const isOwn = ({ scope }: Runner) => scope.ownerId === ownerId && scope.repositoryId === repositoryId;
    const body = (
      <RunnerList
        base={this.base(context)}
        csrf={context.csrf}
        items={items}
        page={page}
        last={lastPage(total, limit)}
        filter={filter}
        token={token}
        usable={usable.filter((runner) => !isOwn(runner))}
        rootUrl={rootUrl}
        hasBulk={this.isSite}
      />
    );
    return settingsPage(this.level, context, 'runners', body, flash);
  }

  async showRunner(context: RouteContext<S, { readonly id: number }>) {
    const { runners, tasks } = this.deps;
    const runner = await runners.find(context.params.id, this.scope(context));
    const { page } = context.page;
    const found = await tasks.of(runner.id, { limit: perPage + 1, offset: (page - 1) * perPage }, context.actor);
    const body = (
      <OneRunner
        base={this.base(context)}
        csrf={context.csrf}
        runner={runner}
        tasks={found.slice(0, perPage)}
        page={page}
        more={found.length > perPage}
      />
    );
    return settingsPage(this.level, context, 'runners', body);
  }

  /** A form; a refusal is shown above the list. */
  form(path: string, run: (context: RouteContext<S>, values: FormValues) => Promise<string>): Route {
    return formRoute<S>(`${this.path}${path}`, this.level.access, run, (context, _values, flash) =>
      this.showList(context, flash),
    );
  }
}

const idOf = <S,>({ params }: RouteContext<S>) => Number((params as { id?: unknown }).id) || 0;

const runnerList = <S,>(pages: RunnerPages<S>): Route =>
  defineRoute<S>({
    method: 'GET',
    path: pages.path,
    surface: 'page',
    access: pages.level.access,
    handler: (context) => pages.showList(context),
  });

const runnerPage = <S,>(pages: RunnerPages<S>): Route =>
  defineRoute({
    method: 'GET',
    path: `${pages.path}/{id}`,
    surface: 'page',
    access: pages.level.access,
    request: { params: idParam },
    handler: (context) => pages.showRunner(context),
  });

const editRunner = <S,>(pages: RunnerPages<S>): Route =>
  pages.form('/{id}', async (context, values) => {
    const { runners } = pages.deps;
    const [id, scope] = [idOf(context), pages.scope(context)];
    await runners.describe(id, formText(values, 'description'), scope);
    await runners.setDisabled(id, isChecked(values, 'disabled'), scope);
    return `${pages.base(context)}/${id}?saved=1`;
  });

const deleteRunner = <S,>(pages: RunnerPages<S>): Route =>
  pages.form('/{id}/delete', async (context) => {
    const { runners } = pages.deps;
    const runner = await runners.find(idOf(context), pages.scope(context));
    await runners.remove(runner.id, pages.scope(context));
    return listHref(pages.base(context), { deleted: runner.name });
  });

/** Asked for by a form: the first time it is made, and it stays off screens otherwise. */
const registrationToken = <S,>(pages: RunnerPages<S>, name: 'token' | 'reset-token'): Route =>
  defineRoute<S>({
    method: 'POST',
    path: `${pages.path}/${name}`,
    surface: 'page',
    access: pages.level.access,
    payload: { as: 'form' },
    async handler(context) {
      const { registrationTokens } = pages.deps;
      const scope = pages.level.scopeOf(context);
      const token = await (name === 'token' ? registrationTokens.current(scope) : registrationTokens.reset(scope));
      return pages.showList(context, undefined, token);
    },
  });

const changeSeveral = <S,>(pages: RunnerPages<S>): Route =>
  pages.form('/bulk', async (context, values) => {
    const { runners } = pages.deps;
    const chosen = [...new Set([values.id ?? []].flat().map(Number))].filter((id) => id > 0);
    const known = await runners.byIds(chosen.slice(0, maxBulk));
    for (const id of known.keys())
      if (values.what === 'delete') await runners.remove(id);
      else await runners.setDisabled(id, values.what === 'disable');
    return `${pages.base(context)}?saved=1`;
  });

export function runnerPages<S>(level: SettingsLevel<S>, deps: RunnerPageDeps): Route[] {
  const pages = new RunnerPages(level, deps);
  return [
    runnerList(pages),
    runnerPage(pages),
    editRunner(pages),
    deleteRunner(pages),
    registrationToken(pages, 'token'),
    registrationToken(pages, 'reset-token'),
    ...(pages.isSite ? [changeSeveral(pages)] : []),
  ];
}
