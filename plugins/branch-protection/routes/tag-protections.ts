import { BadRequest, defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import type { TagProtection } from '../contract/branch-protection.js';
import type { AllowlistNames } from '../services/rule-fields.js';
import { presentTagRules } from '../services/rule-presenters.js';
import type { TagRuleService } from '../services/tag-rules.js';
import {
  administer,
  archived,
  base,
  changing,
  createTagRule,
  editTagRule,
  tagRuleList,
  tagRuleSchema,
  tags,
} from './schemas.js';

interface TagRuleRouteDeps {
  readonly tagRules: TagRuleService;
  readonly names: AllowlistNames;
}

/** Rules for tags. */
export function tagRuleRoutes({ tagRules, names }: TagRuleRouteDeps): readonly Route[] {
  const present = async (rule: TagProtection) => (await presentTagRules(names, [rule]))[0];
  const path = `${base}/tag_protections`;
  const one = {
    params: Joi.object<{ readonly owner: string; readonly repo: string; readonly id: number }>({
      owner: Joi.string().required(),
      repo: Joi.string().required(),
      id: Joi.number().integer().min(1).required(),
    }),
  };
  return [
    defineRoute({
      method: 'GET',
      path,
      id: 'repoListTagProtection',
      tags,
      summary: 'Rules for tags',
      access: administer,
      responses: { 200: tagRuleList },
      handler: async ({ resource }) => presentTagRules(names, await tagRules.list(resource.repository.id)),
    }),
    defineRoute({
      method: 'POST',
      path,
      id: 'repoCreateTagProtection',
      tags,
      summary: 'Make a rule for tags',
      access: administer,
      request: { payload: createTagRule },
      responses: { 201: tagRuleSchema, 400: null, ...archived },
      async handler({ resource, payload }) {
        const repository = changing(resource);
        const { name_pattern: pattern, whitelist_usernames: users, whitelist_teams: teams } = payload;
        if (!pattern?.trim()) throw BadRequest('name_pattern is required.');
        if (!users?.length && !teams?.length) throw BadRequest('whitelist_usernames or whitelist_teams is required.');
        const allowlist = await names.list(repository.ownerId, users, teams);
        return reply.created(await present(await tagRules.create(repository.id, pattern.trim(), allowlist)));
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      id: 'repoGetTagProtection',
      tags,
      summary: 'One rule for tags',
      access: administer,
      request: one,
      responses: { 200: tagRuleSchema },
      handler: async ({ resource, params }) => present(await tagRules.byId(resource.repository.id, params.id)),
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/{id}`,
      id: 'repoEditTagProtection',
      tags,
      summary: 'Change a rule for tags; what is not given stays',
      access: administer,
      request: { ...one, payload: editTagRule },
      responses: { 200: tagRuleSchema, ...archived },
      async handler({ resource, params, payload }) {
        const repository = changing(resource);
        const rule = await tagRules.byId(repository.id, params.id);
        const { name_pattern: pattern, whitelist_usernames: users, whitelist_teams: teams } = payload;
        const allowlist =
          users || teams ? await names.list(repository.ownerId, users, teams, rule.allowlist) : undefined;
        return present(await tagRules.edit(rule, { namePattern: pattern?.trim() || undefined, allowlist }));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      id: 'repoDeleteTagProtection',
      tags,
      summary: 'Remove a rule for tags',
      access: administer,
      request: { params: one.params },
      responses: { 204: null, ...archived },
      async handler({ resource, params }) {
        await tagRules.delete(await tagRules.byId(changing(resource).id, params.id));
        return reply.none();
      },
    }),
  ];
}
