import {
  checkTypedName,
  formRoute,
  formText,
  isChecked,
  Invalid,
  lastPage,
  listHref,
  pageRoute,
  toId,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { userFieldIslands, type Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryContext } from '@mortise/repositories/api';
import { environmentScope } from '../../contract/scopes.js';
import type { Secrets, Variables } from '../../contract/secrets.js';
import type { EnvironmentRow } from '../../models/environment.js';
import type { EnvironmentRules, EnvironmentService } from '../../services/deployments/environment-service.js';
import type { ReviewingTeams } from '../../services/deployments/reviewing-teams.js';
import { t } from '../../texts/index.js';
import { EnvironmentForm, EnvironmentFrame, EnvironmentList, type EnvironmentFields } from './environment-views.js';
import { settingsPage, type SettingsLevel } from './level.js';
import type { ListPlace } from './named-list.js';
import { secretPages } from './secrets.js';
import { variablePages } from './variables.js';

interface EnvironmentPageDeps {
  readonly environments: EnvironmentService;
  readonly accounts: Accounts;
  readonly teams: ReviewingTeams;
  readonly secrets: Secrets;
  readonly variables: Variables;
}
type Level = SettingsLevel<RepositoryContext>;
type Context = RouteContext<RepositoryContext>;

const maxText = 20_000;
const noRules: EnvironmentRules = {
  ...{ reviewers: [], reviewerTeams: [] },
  ...{ preventsSelfReview: false, waitMinutes: 0, branchPatterns: [] },
};

const sentFields = (values: FormValues): EnvironmentFields => ({
  reviewers: formText(values, 'reviewers', maxText),
  preventsSelfReview: isChecked(values, 'prevents_self_review'),
  waitMinutes: Number(formText(values, 'wait_minutes', 10)),
  branchPatterns: formText(values, 'branch_patterns', maxText),
  removesGone: isChecked(values, 'remove_gone'),
});

/** Environments of a repository: their list, to which names are added, and a page for the rules of each. */
class EnvironmentPages {
  constructor(
    private readonly level: Level,
    private readonly deps: EnvironmentPageDeps,
  ) {}

  base(context: Context): string {
    return `${this.level.base(context)}/environments`;
  }

  one(context: Context): Promise<EnvironmentRow> {
    const { environment } = context.params as { readonly environment: string };
    return this.deps.environments.byId(context.resource.repository.id, toId(environment));
  }

  async list(context: Context, sent?: FormValues, flash?: Flash) {
    const { page, limit, offset } = context.page;
    const { rows, total } = await this.deps.environments.list(context.resource.repository.id, { limit, offset });
    const body = (
      <EnvironmentList
        base={this.base(context)}
        rows={rows}
        page={page}
        last={lastPage(total, limit)}
        name={sent ? formText(sent, 'name', 300) : ''}
      />
    );
    return settingsPage(this.level, context, 'environments', body, flash);
  }

  async show(context: Context, sent?: FormValues, flash?: Flash) {
    const row = await this.one(context);
    const { repository } = context.resource;
    const body = (
      <EnvironmentForm
        base={this.base(context)}
        row={row}
        fields={sent ? sentFields(sent) : await this.#fieldsOf(repository, row)}
        gone={await this.deps.environments.goneReviewers(repository, row)}
      />
    );
    return settingsPage(this.level, context, 'environments', body, flash, userFieldIslands);
  }

  /** Where secrets and variables of an environment stand. */
  listPlace(): ListPlace<RepositoryContext> {
    return {
      path: `${this.level.path}/environments/{environment}`,
      access: this.level.access,
      base: (context) => `${this.base(context)}/${(context.params as { readonly environment: string }).environment}`,
      scopeOf: async (context) => environmentScope(context.resource.repository.id, (await this.one(context)).id),
      frame: async (context, body, flash) => {
        const row = await this.one(context);
        const framed = (
          <EnvironmentFrame base={this.base(context)} row={row}>
            {body}
          </EnvironmentFrame>
        );
        return settingsPage(this.level, context, 'environments', framed, flash);
      },
    };
  }

  async #fieldsOf({ ownerId, ownerName }: Repository, row: EnvironmentRow): Promise<EnvironmentFields> {
    const users = await this.deps.accounts.byIds(row.reviewers);
    const teams = await this.deps.teams.of(ownerId, [row]);
    return {
      reviewers: [
        ...row.reviewers.flatMap((id) => users.get(id)?.name ?? []),
        ...[...teams.values()].map(({ name }) => `${ownerName}/${name}`),
      ].join(', '),
      preventsSelfReview: row.prevents_self_review,
      waitMinutes: row.wait_minutes,
      branchPatterns: row.branch_patterns.join('\n'),
      removesGone: false,
    };
  }

  /** Users by their names, teams as `organization/team`; reviewers that are gone have no name, and stay until they are removed. */
  async rulesOf(repository: Repository, row: EnvironmentRow, values: FormValues): Promise<EnvironmentRules> {
    const fields = sentFields(values);
    const names = [...new Set(fields.reviewers.split(/[\s,]+/).filter(Boolean))].slice(0, 100);
    const users = await this.deps.accounts.byNames(names.filter((name) => !name.includes('/')));
    const gone = fields.removesGone ? undefined : await this.deps.environments.goneReviewers(repository, row);
    const reviewers = [...(gone?.users ?? [])];
    const typedTeams = new Map<number, string>();
    for (const name of names) {
      const user = users.get(name) ?? users.get(name.toLowerCase());
      const teamId = user ? undefined : await this.#teamOf(repository, name);
      if (user) reviewers.push(user.id);
      else if (teamId) typedTeams.set(teamId, name);
      else {
        const text = t.later('general.unknown', { name });
        throw Invalid(text, { inputs: { reviewers: text } });
      }
    }
    const reviewerTeams = [...(gone?.teams ?? []), ...typedTeams.keys()];
    return {
      ...fields,
      reviewers,
      reviewerTeams,
      typedTeams,
      branchPatterns: fields.branchPatterns.split(/\r\n|\r|\n/),
    };
  }

  async #teamOf(repository: Repository, text: string): Promise<number | undefined> {
    const [owner = '', name] = text.replace(/^@/, '').split('/');
    const isOwn = owner.toLowerCase() === repository.ownerName.toLowerCase();
    return name && isOwn ? this.deps.teams.idOf(repository, name) : undefined;
  }
}

export function environmentPages(level: Level, deps: EnvironmentPageDeps): Route[] {
  const pages = new EnvironmentPages(level, deps);
  const { environments } = deps;
  const path = `${level.path}/environments`;
  const { access } = level;
  return [
    pageRoute<RepositoryContext>(path, access, (context) => pages.list(context)),
    formRoute<RepositoryContext>(
      path,
      access,
      async (context, values) => {
        const { repository } = context.resource;
        const row = await environments.create(repository, formText(values, 'name', 300), noRules);
        return `${pages.base(context)}/${row.id}?saved=1`;
      },
      (context, values, flash) => pages.list(context, values, flash),
    ),
    pageRoute<RepositoryContext>(`${path}/{environment}`, access, (context) => pages.show(context as Context)),
    formRoute<RepositoryContext>(
      `${path}/{environment}`,
      access,
      async (context, values) => {
        const { repository } = context.resource;
        const row = await pages.one(context);
        await environments.update(repository, row, await pages.rulesOf(repository, row, values));
        return `${pages.base(context)}/${row.id}?saved=1`;
      },
      (context, values, flash) => pages.show(context, values, flash),
    ),
    formRoute<RepositoryContext>(
      `${path}/{environment}/delete`,
      access,
      async (context, values) => {
        const row = await pages.one(context);
        checkTypedName(values, row.name);
        await environments.remove(row);
        return listHref(pages.base(context), { deleted: row.name });
      },
      (context, _values, flash) => pages.show(context, undefined, flash),
    ),
    ...secretPages(pages.listPlace(), deps.secrets),
    ...variablePages(pages.listPlace(), deps.variables),
  ];
}
