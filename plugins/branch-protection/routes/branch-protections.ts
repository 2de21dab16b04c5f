import { BadRequest, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { BranchProtection } from '../contract/branch-protection.js';
import type { BranchRuleService } from '../services/branch-rules.js';
import { changesOf, type AllowlistNames } from '../services/rule-fields.js';
import { presentBranchRules } from '../services/rule-presenters.js';
import type { AllowlistWriters } from '../services/allowlist-writers.js';
import { administer, archived, base, changing, ruleOrder, ruleSchemas, tags } from './schemas.js';

interface BranchRuleRouteDeps {
  readonly branchRules: BranchRuleService;
  readonly names: AllowlistNames;
  readonly writers: AllowlistWriters;
}

/** Rules for branches (BRP-01 to BRP-06). Names of rules have slashes and signs. */
export function branchRuleRoutes({ branchRules, names, writers }: BranchRuleRouteDeps): readonly Route[] {
  const present = async (rule: BranchProtection) => (await presentBranchRules(names, [rule]))[0];
  const { createRule, editRule, ruleSchema, ruleList } = ruleSchemas(names.options);
  const path = `${base}/branch_protections`;
  return [
    defineRoute({
      method: 'GET',
      path,
      id: 'repoListBranchProtection',
      tags,
      summary: 'Rules for branches, in the order in which they count',
      access: administer,
      responses: { 200: ruleList },
      handler: async ({ resource }) => presentBranchRules(names, await branchRules.list(resource.repository.id)),
    }),
    defineRoute({
      method: 'POST',
      path,
      id: 'repoCreateBranchProtection',
      tags,
      summary: 'Make a rule for branches',
      access: administer,
      request: { payload: createRule },
      responses: { 201: ruleSchema, 400: null, ...archived },
      async handler({ resource, payload }) {
        const repository = changing(resource);
        const name = payload.rule_name || payload.branch_name;
        if (!name) throw BadRequest('rule_name or branch_name is required.');
        const changes = await changesOf(names, repository.ownerId, payload);
        const rule = await branchRules.create(repository.id, name, await writers.withoutReaders(repository, changes));
        return reply.created(await present(rule));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/priority`,
      id: 'repoUpdateBranchProtectionPriories',
      tags,
      summary: 'Put the rules in order',
      access: administer,
      request: { payload: ruleOrder },
      responses: { 204: null, ...archived },
      async handler({ resource, payload }) {
        const { id: repositoryId } = changing(resource);
        // Clients see no numbers of rules, they can only guess: a number of no rule here says nothing.
        const present = new Set((await branchRules.list(repositoryId)).map(({ id }) => id));
        const ids = (payload.ids ?? []) as number[];
        await branchRules.order(
          repositoryId,
          ids.filter((id) => present.has(id)),
        );
        return reply.none();
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{name*}`,
      id: 'repoGetBranchProtection',
      tags,
      summary: 'One rule for branches',
      access: administer,
      responses: { 200: ruleSchema },
      handler: async ({ resource, params }) =>
        present(await branchRules.byName(resource.repository.id, params.name ?? '')),
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/{name*}`,
      id: 'repoEditBranchProtection',
      tags,
      summary: 'Change a rule for branches; what is not given stays (BRP-06)',
      access: administer,
      request: { payload: editRule },
      responses: { 200: ruleSchema, ...archived },
      async handler({ resource, params, payload }) {
        const repository = changing(resource);
        const rule = await branchRules.byName(repository.id, params.name ?? '');
        const changes = await changesOf(names, repository.ownerId, payload, rule);
        return present(await branchRules.edit(rule, await writers.withoutReaders(repository, changes, rule)));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{name*}`,
      id: 'repoDeleteBranchProtection',
      tags,
      summary: 'Remove a rule for branches',
      access: administer,
      responses: { 204: null, ...archived },
      async handler({ resource, params }) {
        await branchRules.delete(await branchRules.byName(changing(resource).id, params.name ?? ''));
        return reply.none();
      },
    }),
  ];
}
