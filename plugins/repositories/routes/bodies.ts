import { BadRequest, Invalid, Joi } from '@mortise/plugin-sdk';
import { trustModels, type NewRepository, type Repository, type TrustModel, type UnitKey } from '../api.js';
import type { RepositoryChanges } from '../services/repositories.js';
import {
  checkTracker,
  checkWiki,
  projectModes,
  unitFields,
  unitKeys,
  unitOptions,
  type ExternalTracker,
} from '../services/units.js';
import { labelTemplates } from '../templates/labels.js';
import { words } from './shared.js';
import { t } from '../texts/index.js';

export type Body = Readonly<Record<string, unknown>>;

const unitFlags = Object.fromEntries(Object.values(unitFields).map((field) => [field, Joi.boolean()]));

export const createBody = Joi.object({
  name: Joi.string().required().description('Letters, digits, "-", "_" and "."'),
  description: words(2048),
  private: Joi.boolean().allow(null),
  auto_init: Joi.boolean().allow(null),
  readme: words(100),
  license: words(100),
  gitignores: words(1000),
  issue_labels: words(100),
  default_branch: words(100),
  template: Joi.boolean().allow(null),
  trust_model: Joi.string()
    .valid(...trustModels, '', null)
    .description('Whose verified signatures count on the pages'),
  object_format_name: Joi.string().valid('sha1', 'sha256', '', null),
  ...unitFlags,
}).label('CreateRepoOption');

export function newRepository(body: Body): NewRepository {
  const text = (key: string) => (typeof body[key] === 'string' && body[key] !== '' ? (body[key] as string) : undefined);
  const issueLabels = text('issue_labels');
  if (issueLabels && !labelTemplates.has(issueLabels)) throw Invalid(t.later('error.labels', { name: issueLabels }));
  return {
    name: body.name as string,
    description: text('description'),
    isPrivate: body.private === true,
    isTemplate: body.template === true,
    autoInit: body.auto_init === true,
    readme: text('readme'),
    license: text('license'),
    gitignores: text('gitignores'),
    issueLabels,
    defaultBranch: text('default_branch'),
    objectFormat: text('object_format_name') as 'sha1' | 'sha256' | undefined,
    trustModel: text('trust_model') as TrustModel | undefined,
    units: pickUnits(body),
  };
}

function pickUnits(body: Body): Partial<Record<UnitKey, boolean>> {
  return Object.fromEntries(
    unitKeys.filter((key) => typeof body[unitFields[key]] === 'boolean').map((key) => [key, body[unitFields[key]]]),
  );
}

/** Options of units that PATCH sets, and whose they are. */
const optionKeys = new Map<string, UnitKey>(
  unitKeys.flatMap((key) => unitOptions(key).map((option) => [option, key] as const)),
);
const trackerFlags = ['enable_time_tracker', 'allow_only_contributors_to_track_time', 'enable_issue_dependencies'];

export const editBody = Joi.object({
  name: Joi.string(),
  description: words(2048),
  website: words(1024),
  private: Joi.boolean(),
  template: Joi.boolean(),
  archived: Joi.boolean(),
  default_branch: Joi.string().max(255).allow(''),
  readme: words(100).description('Used while the repository is empty (REP-08)'),
  internal_tracker: Joi.object(Object.fromEntries(trackerFlags.map((flag) => [flag, Joi.boolean()])))
    .label('EditInternalTracker')
    .allow(null),
  external_tracker: Joi.object({
    external_tracker_url: Joi.string().max(1024).required().allow(''),
    external_tracker_format: words(1024),
    external_tracker_style: words(30),
    external_tracker_regexp_pattern: words(255),
  })
    .label('EditExternalTracker')
    .allow(null),
  external_wiki: Joi.object({ external_wiki_url: Joi.string().max(1024).required().allow('') })
    .label('EditExternalWiki')
    .allow(null),
  projects_mode: Joi.string().allow('', null),
  ...unitFlags,
  ...Object.fromEntries(
    [...optionKeys.keys()]
      .filter((key) => optionKeys.get(key) === 'pulls' && !/_style$/.test(key))
      .map((key) => [key, Joi.boolean()]),
  ),
  default_merge_style: Joi.string().allow(''),
  default_update_style: Joi.string().allow(''),
}).label('EditRepoOption');

/** What a PATCH asks for; absent fields change nothing. */
export function changesOf(body: Body, repository: Repository): RepositoryChanges {
  if (body.readme && body.readme !== 'Default')
    throw BadRequest(`README template "${String(body.readme)}" does not exist. Available: Default`);
  if (body.projects_mode && !(projectModes as readonly unknown[]).includes(body.projects_mode))
    throw Invalid(t.later('error.oneOf', { field: 'projects_mode', values: projectModes.join(', ') }));
  const unitConfig: Partial<Record<UnitKey, Record<string, unknown>>> = {};
  for (const [option, key] of optionKeys) {
    const given = body[option];
    if (given !== undefined && given !== null && given !== '') (unitConfig[key] ??= {})[option] = given;
  }
  const issues = trackerConfig(body, repository);
  if (issues) unitConfig.issues = { ...unitConfig.issues, ...issues };
  const wiki = wikiConfig(body, repository);
  if (wiki) unitConfig.wiki = wiki;
  return {
    name: body.name as string | undefined,
    description: (body.description as string | null | undefined) ?? undefined,
    website: (body.website as string | null | undefined) ?? undefined,
    isPrivate: body.private as boolean | undefined,
    isTemplate: body.template as boolean | undefined,
    isArchived: body.archived as boolean | undefined,
    units: pickUnits(body),
    unitConfig,
  };
}

const has = (repository: Repository, key: UnitKey, option: string) =>
  Boolean(repository.units.find((unit) => unit.key === key)?.config[option]);

/** A tracker elsewhere, or back to the one here: asked for by switching issues on without one elsewhere. */
function trackerConfig(body: Body, repository: Repository): Record<string, unknown> | undefined {
  if (body.has_issues === true && body.external_tracker)
    return { external_tracker: checkTracker(body.external_tracker as Partial<ExternalTracker>) };
  if (body.internal_tracker) return { ...(body.internal_tracker as object), external_tracker: undefined };
  if (body.has_issues === true && has(repository, 'issues', 'external_tracker'))
    return { ...Object.fromEntries(trackerFlags.map((flag) => [flag, true])), external_tracker: undefined };
  return undefined;
}

function wikiConfig(body: Body, repository: Repository): Record<string, unknown> | undefined {
  if (body.has_wiki === true && body.external_wiki)
    return { external_wiki: checkWiki(body.external_wiki as { external_wiki_url?: string }) };
  if (body.has_wiki !== undefined && has(repository, 'wiki', 'external_wiki')) return { external_wiki: undefined };
  return undefined;
}
