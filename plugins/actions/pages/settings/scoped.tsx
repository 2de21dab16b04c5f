import {
  BadRequest,
  pageRoute,
  formId,
  formRoute,
  formText,
  Invalid,
  listHref,
  Reply,
  reply,
  toId,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { ScopedConfig } from '../../models/scoped-source.js';
import type { ScopedWorkflows } from '../../services/runs/scoped-workflows.js';
import type { ScopedPreviews } from '../../services/runs/scoped-previews.js';
import { t } from '../../texts/index.js';
import { queryText } from '../run-search.js';
import { settingsPage, type SettingsLevel } from './level.js';
import { ScopedList, type ScopedSourceFiles } from './scoped-views.js';

export interface ScopedPageDeps {
  readonly scoped: ScopedWorkflows;
  readonly previews: ScopedPreviews;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly site: Site;
}

/** There is no operation of the API for this: programs send the forms, and ask for no page. */
const wantsJson = ({ headers }: Pick<RouteContext, 'headers'>): boolean =>
  headers.accept !== undefined && !headers.accept.includes('text/html');

const maxFound = 20;
const maxIds = 500;

const listOf = (values: FormValues, name: string): readonly string[] => [
  ...new Set(
    [values[name] ?? []]
      .flat()
      .slice(0, maxIds)
      .map((id) => id.slice(0, 255)),
  ),
];

/** What a form says of the workflows that it shows. */
function sentConfigs(values: FormValues): ReadonlyMap<string, ScopedConfig> {
  const required = new Set(listOf(values, 'required_workflow_ids'));
  const ids = listOf(values, 'workflow_ids').filter((id) => /\.ya?ml$/.test(id));
  return new Map(
    ids.map((id) => {
      const lines = formText(values, `required_patterns[${id}]`, 20_000).split(/\r\n|\r|\n/);
      const patterns = [...new Set(lines.map((line) => line.trim()).filter(Boolean))];
      return [id, { required: required.has(id), patterns }];
    }),
  );
}

/** Repositories whose workflows run in all those of an owner, or of the site (ACT-68…70). */
class ScopedPages<S> {
  readonly deps: ScopedPageDeps;
  readonly #level: SettingsLevel<S>;

  constructor(level: SettingsLevel<S>, deps: ScopedPageDeps) {
    this.#level = level;
    this.deps = deps;
  }

  base(context: RouteContext<S>): string {
    return `${this.#level.base(context)}/scoped-workflows`;
  }

  ownerId(context: RouteContext<S>): number {
    return this.#level.scopeOf(context).ownerId;
  }

  /** Those that could be added, for what was typed. */
  async #search(context: RouteContext<S>, text: string): Promise<readonly Repository[]> {
    if (!text) return [];
    const ownerId = this.ownerId(context);
    const ownerNames = ownerId ? { ownerId, exclusive: true } : {};
    const results = await this.deps.repositories.search(
      { text: text.replaceAll(',', ' '), ...ownerNames, sort: 'path', limit: maxFound, offset: 0 },
      context.actor,
    );
    return results.items;
  }

  async #sources(context: RouteContext<S>, sent: FormValues): Promise<readonly ScopedSourceFiles[]> {
    const { scoped, previews, repositories } = this.deps;
    const rows = await scoped.list(this.ownerId(context));
    const known = await repositories.byIds(rows.map((row) => row.source_repo_id));
    const edited = toId(sent.repo_id);
    return Promise.all(
      rows.flatMap((row) => {
        const repository = known.get(row.source_repo_id);
        if (!repository) return [];
        const isSent = row.source_repo_id === edited && sent.workflow_ids !== undefined;
        return previews.of(repository, row.workflow_configs).then((files) => {
          const given = isSent ? sentConfigs(sent) : undefined;
          return { repository, files: files.map((file) => ({ ...file, config: given?.get(file.id) ?? file.config })) };
        });
      }),
    );
  }

  async show(context: RouteContext<S>, sent: FormValues = {}, flash?: Flash) {
    const text = queryText(context.query as Readonly<Record<string, unknown>>, 'q');
    const sources = await this.#sources(context, sent);
    const taken = new Set(sources.map(({ repository }) => repository.id));
    const body = (
      <ScopedList
        base={this.base(context)}
        isSite={!this.ownerId(context)}
        sources={sources}
        homeOf={({ ownerName, name }) => this.deps.site.path(`/${ownerName}/${name}`)}
        text={text}
        name={formText(sent, 'repo_name', 255)}
        found={(await this.#search(context, text)).filter(({ id }) => !taken.has(id))}
      />
    );
    return settingsPage(this.#level, context, 'scoped-workflows', body, flash);
  }

  /** `name` or `owner/name`; of an owner only their own. */
  async named(context: RouteContext<S>, name: string): Promise<Repository> {
    const { accounts, repositories } = this.deps;
    const ownerId = this.ownerId(context);
    const [last = '', first] = name.split('/').reverse();
    const owner = first ?? (ownerId ? (await accounts.byId(ownerId))?.name : '');
    const repository = owner && last ? await repositories.byPath(owner, last) : undefined;
    if (repository && (!ownerId || repository.ownerId === ownerId)) return repository;
    const text = t.later('scoped.unknown', { name });
    throw Invalid(text, { inputs: { repo_name: text } });
  }

  form(name: string, run: (context: RouteContext<S>, values: FormValues) => Promise<string>): Route {
    const route = formRoute<S>(
      `${this.#level.path}/scoped-workflows/${name}`,
      this.#level.access,
      run,
      (context, values, flash) => {
        if (wantsJson(context)) throw BadRequest(flash.text);
        return this.show(context, values, flash);
      },
    );
    return {
      ...route,
      async handler(context: RouteContext) {
        const answer = await route.handler(context);
        const to = answer instanceof Reply ? answer.headers.location : undefined;
        return to && wantsJson(context) ? reply.json({ redirect: to }) : answer;
      },
    };
  }

  list(): Route {
    return pageRoute<S>(`${this.#level.path}/scoped-workflows`, this.#level.access, (context) => this.show(context));
  }
}

const addSource = <S,>(pages: ScopedPages<S>): Route =>
  pages.form('add', async (context, values) => {
    const repository = await pages.named(context, formText(values, 'repo_name', 255));
    await pages.deps.scoped.add(pages.ownerId(context), repository);
    return `${pages.base(context)}?saved=1`;
  });

const removeSource = <S,>(pages: ScopedPages<S>): Route =>
  pages.form('remove', async (context, values) => {
    const id = formId(values, 'repo_id');
    await pages.deps.scoped.remove(pages.ownerId(context), id);
    const repository = await pages.deps.repositories.byId(id);
    const deleted = repository ? `${repository.ownerName}/${repository.name}` : `${id}`;
    return listHref(pages.base(context), { deleted });
  });

const configureSource = <S,>(pages: ScopedPages<S>): Route =>
  pages.form('required', async (context, values) => {
    const { scoped, repositories } = pages.deps;
    const id = formId(values, 'repo_id');
    const source = await repositories.byId(id);
    const files = new Set((source && (await scoped.filesOf(id)))?.files.map((file) => file.id));
    // of a file that is gone only what still gates merges is worth keeping
    const changes = [...sentConfigs(values)].map(([file, config]): [string, ScopedConfig | undefined] => {
      const isKept = config.required || (files.has(file) && config.patterns.length > 0);
      return [file, isKept ? config : undefined];
    });
    await scoped.configure(pages.ownerId(context), id, new Map(changes));
    return `${pages.base(context)}?saved=1`;
  });

export function scopedPages<S>(level: SettingsLevel<S>, deps: ScopedPageDeps): Route[] {
  const pages = new ScopedPages(level, deps);
  return [pages.list(), addSource(pages), removeSource(pages), configureSource(pages)];
}
