import {
  definePoint,
  defineService,
  type Cache,
  type Channels,
  type Database,
  type Events,
  type Languages,
  type PointReader,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts, Memberships, MembershipSource } from '@mortise/accounts/api';
import type { Issues, Timeline } from '@mortise/issues/api';
import type { Organizations, Teams } from '@mortise/organizations/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { ProjectTemplate } from '../contract/projects.js';
import { CardSearch } from './card-search.js';
import { CardReader } from './card-reader.js';
import { CardService } from './cards.js';
import { ColumnService } from './columns.js';
import { ProjectExchange } from './exchange.js';
import { FieldService } from './fields.js';
import { IssueProjectReader } from './issue-project-reader.js';
import { ProjectsOfIssues } from './issue-projects.js';
import { ProjectScopes } from './project-scopes.js';
import { ProjectPresence } from './presence.js';
import { ProjectPresenter } from './project-presenter.js';
import { ProjectReader } from './project-reader.js';
import { ProjectService } from './project-service.js';
import { ProjectReaders } from './readers.js';
import { RuleService } from './rules.js';
import { ProjectSubscriptions } from './subscriptions.js';
import { ViewService } from './views.js';

interface ServiceDeps {
  readonly accounts: Accounts;
  readonly cache: Cache;
  readonly channels: Channels;
  readonly database: Database;
  readonly events: Events;
  readonly issues: Issues;
  readonly languages: Languages;
  readonly memberships: Memberships;
  readonly membershipSources: PointReader<MembershipSource>;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
  readonly timeline: Timeline;
  readonly templates: Readonly<Record<ProjectTemplate, readonly string[]>>;
  readonly teams: () => Pick<Teams, 'search' | 'membersAmong'> | undefined;
}

export function makeServices(deps: ServiceDeps) {
  const reader = new ProjectReader(deps.database, deps.cache);
  const scopes = new ProjectScopes(deps);
  const cardReader = new CardReader(deps);
  const columns = new ColumnService(deps);
  const fields = new FieldService(deps.database);
  const cards = new CardService({ ...deps, columns, fields, reader: cardReader });
  const projects = new ProjectService({ ...deps, columns });
  const presenter = new ProjectPresenter({ ...deps, cards: cardReader });
  const boards = new IssueProjectReader({ ...deps, scopes });
  const rules = new RuleService({ ...deps, cards, columns });
  const views = new ViewService(deps.database);
  const exchange = new ProjectExchange({ ...deps, reader, columns, fields, projects, rules, views });
  const readers = new ProjectReaders(deps);
  const presence = new ProjectPresence({ ...deps, reader, readers });
  const subscriptions = new ProjectSubscriptions({ ...deps, readers });
  const cardSearch = new CardSearch(deps);
  const issueProjects = new ProjectsOfIssues({ ...deps, boards, cards, scopes, reader });
  return {
    deps,
    reader,
    scopes,
    cardReader,
    columns,
    cards,
    fields,
    projects,
    presenter,
    boards,
    exchange,
    rules,
    views,
    readers,
    presence,
    subscriptions,
    cardSearch,
    issueProjects,
  };
}

/** The teams of organizations, where there are any. */
export const projectTeams = definePoint.one<Pick<Teams, 'search' | 'membersAmong'>>('projects.teams');
/** Organizations, where there are any. */
export const projectOrganizations = definePoint.one<Pick<Organizations, 'byId' | 'toApi'>>('projects.organizations');

/** Shared inside this plugin only. */
export type ProjectServices = ReturnType<typeof makeServices>;
export const projectServices = defineService<ProjectServices>('projects.services');
