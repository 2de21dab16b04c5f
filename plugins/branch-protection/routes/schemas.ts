import { Joi } from '@mortise/plugin-sdk';
import { mustBeActive, repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import { flagFields, listFields } from '../services/rule-fields.js';
import type { RuleOptions } from '../services/rule-options.js';

export const base = '/api/v1/repos/{owner}/{repo}';
export const tags = ['repository'];
/** Rules are for administrators of the repository; the resource asks to sign in where that could help. */
export const administer = { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' } as const;

/** What changes may answer besides. */
export const archived = { 423: null } as const;

/** The repository whose rules are changed; an archived one keeps them as they are (BRP-06). */
export function changing({ repository }: RepositoryContext): RepositoryContext['repository'] {
  mustBeActive({ repository });
  return repository;
}

const names = () => Joi.array().items(Joi.string().max(191)).max(1000);
const each = <T>(fields: readonly string[], make: () => T) =>
  Object.fromEntries(fields.map((field) => [field, make()]));
const nameFields = listFields.flatMap(({ users, teams }) => [users, teams]);

const ruleOption = {
  ...each(Object.keys(flagFields), () => Joi.boolean().allow(null)),
  ...each(nameFields, () => names().allow(null)),
  required_approvals: Joi.number().integer().max(1000).allow(null).description('Below 0: as if it were absent'),
  priority: Joi.number()
    .integer()
    .min(0)
    .max(1_000_000)
    .allow(null)
    .description('Of rules that fit, the lowest counts'),
  status_check_contexts: Joi.array()
    .items(Joi.string().allow('').max(1000))
    .max(200)
    .allow(null)
    .description('Patterns of contexts that must have ended well; absent or null keeps the list (BRP-02)'),
  protected_file_patterns: Joi.string().allow('', null).max(10_000).description('Separated by semicolons'),
  unprotected_file_patterns: Joi.string().allow('', null).max(10_000).description('Separated by semicolons'),
};

type CreateRule = {
  readonly rule_name?: string | null;
  readonly branch_name?: string | null;
  readonly required_approvals?: number | null;
  readonly priority?: number | null;
  readonly status_check_contexts?: readonly string[] | null;
  readonly protected_file_patterns?: string | null;
  readonly unprotected_file_patterns?: string | null;
};

type EditRule = {
  readonly required_approvals?: number | null;
  readonly priority?: number | null;
  readonly status_check_contexts?: readonly string[] | null;
  readonly protected_file_patterns?: string | null;
  readonly unprotected_file_patterns?: string | null;
};

export const ruleOrder = Joi.object<{ readonly ids?: readonly number[] | null }>({
  ids: Joi.array().items(Joi.number().integer().min(1)).max(1000).allow(null),
}).label('UpdateBranchProtectionPriories');

const text = () => Joi.string().allow('').required();
const time = () => Joi.string().isoDate().required();

/** Requests and models of rules, with what other plugins add. */
export function ruleSchemas(options: RuleOptions) {
  const body = { ...ruleOption, ...options.body() };
  const createRule = Joi.object<CreateRule>({
    rule_name: Joi.string().allow('', null).max(191).description('Name of a branch, or a pattern'),
    branch_name: Joi.string().allow('', null).max(191).description('An older name of rule_name'),
    ...body,
  }).label('CreateBranchProtectionOption');
  const editRule = Joi.object<EditRule>(body).label('EditBranchProtectionOption');
  const ruleSchema = Joi.object({
    branch_name: text(),
    rule_name: text(),
    priority: Joi.number().integer().required(),
    ...each(Object.keys(flagFields), () => Joi.boolean().required()),
    ...each(nameFields, () => Joi.array().items(Joi.string()).required()),
    ...options.fields(),
    required_approvals: Joi.number().integer().required(),
    status_check_contexts: Joi.array()
      .items(Joi.string())
      .allow(null)
      .required()
      .description('Null where none were ever given'),
    protected_file_patterns: text(),
    unprotected_file_patterns: text(),
    created_at: time(),
    updated_at: time(),
  }).label('BranchProtection');
  const ruleList = Joi.array().items(ruleSchema).label('BranchProtectionList');
  return { createRule, editRule, ruleSchema, ruleList };
}

const tagOption = {
  name_pattern: Joi.string().allow('', null).max(191).description('A glob, or a regular expression between slashes'),
  whitelist_usernames: names().allow(null),
  whitelist_teams: names().allow(null),
};
interface CreateTagRule {
  readonly name_pattern?: string | null;
  readonly whitelist_usernames?: readonly string[] | null;
  readonly whitelist_teams?: readonly string[] | null;
}

export const createTagRule = Joi.object<CreateTagRule>(tagOption).label('CreateTagProtectionOption');
interface EditTagRule {
  readonly name_pattern?: string | null;
  readonly whitelist_usernames?: readonly string[] | null;
  readonly whitelist_teams?: readonly string[] | null;
}

export const editTagRule = Joi.object<EditTagRule>(tagOption).label('EditTagProtectionOption');

export const tagRuleSchema = Joi.object({
  id: Joi.number().integer().required(),
  name_pattern: text(),
  whitelist_usernames: Joi.array().items(Joi.string()).required(),
  whitelist_teams: Joi.array().items(Joi.string()).required(),
  created_at: time(),
  updated_at: time(),
}).label('TagProtection');
export const tagRuleList = Joi.array().items(tagRuleSchema).label('TagProtectionList');
