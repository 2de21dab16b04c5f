import { BadRequest, Invalid, Joi } from '@mortise/plugin-sdk';
import { trustModels, type NewRepository, type Repository, type RepositoryEdit, type TrustModel } from '../api.js';
import type { RepositoryChanges } from '../services/repositories.js';
import type { Units } from '../services/units.js';
import { optionalWords } from './route-options.js';
import { t } from '../texts/index.js';

export type Body = Readonly<Record<string, unknown>>;

const unitFlags = (units: Units) =>
  Object.fromEntries(
    units
      .flags()
      .map(({ field, isUndocumented }) => [
        field,
        isUndocumented ? Joi.boolean().meta({ swaggerHidden: true }) : Joi.boolean(),
      ]),
  );

export const createBody = (units: Units) =>
  Joi.object<Body>({
    name: Joi.string().required().description('Letters, digits, "-", "_" and "."'),
    description: optionalWords(2048),
    private: Joi.boolean().allow(null),
    auto_init: Joi.boolean().allow(null),
    readme: optionalWords(100),
    license: optionalWords(100),
    gitignores: optionalWords(1000),
    issue_labels: optionalWords(100),
    default_branch: optionalWords(100),
    template: Joi.boolean().allow(null),
    trust_model: Joi.string()
      .valid(...trustModels, '', null)
      .description('Whose verified signatures count on the pages'),
    object_format_name: Joi.string().valid('sha1', 'sha256', '', null),
    ...unitFlags(units),
  }).label('CreateRepoOption');

export function newRepository(body: Body, units: Units): NewRepository {
  const text = (key: string) => (typeof body[key] === 'string' && body[key] !== '' ? (body[key] as string) : undefined);
  const issueLabels = text('issue_labels');
  if (issueLabels && !units.labelSets().includes(issueLabels))
    throw Invalid(t.later('error.labels', { name: issueLabels }));
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
    units: units.picked(body),
  };
}

export const editBody = (units: Units, edits: readonly RepositoryEdit[]) =>
  Joi.object<Body>({
    name: Joi.string(),
    description: optionalWords(2048),
    website: optionalWords(1024),
    private: Joi.boolean(),
    template: Joi.boolean(),
    archived: Joi.boolean(),
    default_branch: Joi.string().max(255).allow(''),
    readme: optionalWords(100).description('Used while the repository is empty (REP-08)'),
    ...unitFlags(units),
    ...units.bodyFields(),
    ...Object.assign({}, ...edits.map(({ body }) => body)),
  }).label('EditRepoOption');

/** What a PATCH asks for; absent fields change nothing. */
export function changesOf(body: Body, repository: Repository, units: Units): RepositoryChanges {
  if (body.readme && body.readme !== 'Default')
    throw BadRequest(`README template "${String(body.readme)}" does not exist. Available: Default`);
  return {
    name: body.name as string | undefined,
    description: (body.description as string | null | undefined) ?? undefined,
    website: (body.website as string | null | undefined) ?? undefined,
    isPrivate: body.private as boolean | undefined,
    isTemplate: body.template as boolean | undefined,
    isArchived: body.archived as boolean | undefined,
    body,
    ...units.changesOf(body, repository),
  };
}
