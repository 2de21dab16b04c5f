import {
  defineRoute,
  pageRoute,
  formRoute,
  formText,
  isChecked,
  Joi,
  lastPage,
  listHref,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { RegistrationTokens, Runner, RunnerFilter, Runners } from '../../contract/runners.js';
import { settingsPage, type SettingsLevel } from './level.js';
import type { RunnerTasks } from './runner-tasks.js';
import { OneRunner, RunnerList, sorts } from './runner-views.js';

export interface RunnerPageDeps {
  readonly runners: Runners;
  readonly registrationTokens: RegistrationTokens;
  readonly tasks: RunnerTasks;
  /** Address of the site, for the registration command. */
  readonly rootUrl: string;
}

const maxBulk = 100;

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
  pageRoute<S>(pages.path, pages.level.access, (context) => pages.showList(context));

const runnerPage = <S,>(pages: RunnerPages<S>): Route =>
  pageRoute(`${pages.path}/{id}`, pages.level.access, (context) => pages.showRunner(context), { params: idParam });

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
