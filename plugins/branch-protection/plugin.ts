import {
  cache,
  database,
  definePlugin,
  fromPackage,
  defineService,
  events,
  locks,
  site,
  takeoverMappings,
  type Matcher,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { commitStatuses } from '@mortise/commit-status/api';
import { templateContents } from '@mortise/forks/api';
import { commitVerification } from '@mortise/history/api';
import { teams as teamsRef } from '@mortise/organizations/api';
import { branchRenamed, branchRules } from '@mortise/refs/api';
import { gitReader, refChecks } from '@mortise/git/api';
import { repositories, repositoryAccess, repositoryPages, repositorySettingsMenu } from '@mortise/repositories/api';
import {
  branchProtections,
  branchRulesChanged,
  checkContexts,
  mergeVerdicts,
  protectionTeams,
  ruleOptions,
  tagProtections,
} from './contract/branch-protection.js';
import { branchPages } from './pages/branches.js';
import { tagPages } from './pages/tags.js';
import { branchRuleRoutes } from './routes/branch-protections.js';
import { tagRuleRoutes } from './routes/tag-protections.js';
import { branchRuleStatus } from './services/branch-rule-status.js';
import { BranchRuleService } from './services/branch-rules.js';
import { AllowlistNames } from './services/rule-fields.js';
import { ProtectionGate } from './services/protection-gate.js';
import { Membership } from './services/membership.js';
import { RuleOptions } from './services/rule-options.js';
import { organizationTeams } from './services/organization-teams.js';
import { Patterns } from './services/patterns.js';
import { SignatureRule } from './services/signature-rule.js';
import { TagRuleService } from './services/tag-rules.js';
import { AllowlistWriters } from './services/allowlist-writers.js';
import { t } from './texts/index.js';

/** Everything of this plugin, built once; not part of the contract. */
interface ProtectionServices {
  readonly branchRules: BranchRuleService;
  readonly tagRules: TagRuleService;
  readonly names: AllowlistNames;
  readonly writers: AllowlistWriters;
}
const protectionServices = defineService<ProtectionServices>('branch-protection.services');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    branchProtections,
    branchRulesChanged,
    tagProtections,
    protectionServices,
    protectionTeams,
    checkContexts,
    mergeVerdicts,
    ruleOptions,
  ],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    const teams = host.point(protectionTeams);
    host.contribute(takeoverMappings, { accounts, database }, (services) => ({
      key: 'branch-protection',
      tables: async () => (await import('./takeover/tables.js')).tables,
      afterPass: async () => (await import('./takeover/after-pass.js')).removeLostNames({ ...services, teams }),
    }));
    const verdicts = host.point(mergeVerdicts);
    const options = new RuleOptions(host.point(ruleOptions));
    host.whenPresent('organizations', () => host.contribute(protectionTeams, { teams: teamsRef }, organizationTeams));
    host.service(protectionServices, { database, events, locks, cache, accounts, repositoryAccess }, (services) => {
      const deps = {
        ...services,
        patterns: new Patterns(services.cache.memory<Matcher>('branch-protection.patterns')),
        membership: new Membership(teams),
        options,
      };
      return {
        branchRules: new BranchRuleService(deps),
        tagRules: new TagRuleService(deps),
        names: new AllowlistNames(services.accounts, teams, options),
        writers: new AllowlistWriters(services),
      };
    });
    host.service(branchProtections, { protectionServices }, (services) => services.protectionServices.branchRules);
    host.service(tagProtections, { protectionServices }, (services) => services.protectionServices.tagRules);

    host.contribute(
      refChecks,
      { protectionServices, gitReader, repositories, access: repositoryAccess, commitVerification },
      (services) =>
        new ProtectionGate({
          ...services,
          ...services.protectionServices,
          verdicts,
          signatures: new SignatureRule(services.commitVerification),
        }),
    );
    host.contribute(branchRules, { protectionServices }, (services) =>
      branchRuleStatus(services.protectionServices.branchRules),
    );
    host.on(branchRenamed, 'within', 'follow-rename', { protectionServices }, ({ repositoryId, from, to }, services) =>
      services.protectionServices.branchRules.followRename(repositoryId, from, to),
    );
    host.whenPresent('forks', () =>
      host.contribute(templateContents, { protectionServices }, (services) => ({
        key: 'protected_branch' as const,
        label: t.later('template.label'),
        order: 60,
        copy: ({ templateId, repositoryId }) => services.protectionServices.branchRules.copy(templateId, repositoryId),
      })),
    );
    host.routes({ protectionServices }, (services) => branchRuleRoutes(services.protectionServices));
    host.routes({ protectionServices }, (services) => tagRuleRoutes(services.protectionServices));

    const menu = { icon: 'shield-lock', order: 30 };
    host.contribute(repositorySettingsMenu, {
      ...menu,
      key: 'branches',
      label: t.later('menu.branches'),
      href: 'branches',
      settings: [{ label: t.later('list.title') }],
    });
    host.contribute(repositorySettingsMenu, {
      ...menu,
      key: 'tags',
      label: t.later('menu.tags'),
      icon: 'tag',
      href: 'tags',
    });
    host.island('rule-order', new URL('./pages/rule-order.js', import.meta.url));
    const pageServices = { protectionServices, gitReader, pages: repositoryPages, site } as const;
    const contexts = host.point(checkContexts);
    host.routes(pageServices, (services) => branchPages({ ...services, ...services.protectionServices, contexts }));
    host.routes(pageServices, (services) => tagPages({ ...services, ...services.protectionServices }));
    host.whenPresent('commit-status', () =>
      host.contribute(checkContexts, { statuses: commitStatuses }, ({ statuses }) => ({
        key: 'statuses',
        contexts: (repositoryId) => statuses.recentContexts(repositoryId),
      })),
    );
  },
});
