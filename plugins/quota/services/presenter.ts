import type { Group, Rule } from './groups.js';
import type { Quota } from './quota-limit.js';
import type { Usage } from './usage.js';

/** Names are for administrators. */
const toRule = ({ name, limit, subjects }: Rule, isAdmin: boolean) => ({ ...(isAdmin && { name }), limit, subjects });

export const toApiRule = (rule: Rule) => toRule(rule, true);

const toGroup = ({ name, rules }: Group, isAdmin: boolean) => ({
  ...(isAdmin && { name }),
  rules: rules.map((rule) => toRule(rule, isAdmin)),
});

export const toApiGroup = (group: Group) => toGroup(group, true);

const toUsed = (usage: Usage) => ({
  size: {
    repos: { public: usage.of('size:repos:public'), private: usage.of('size:repos:private') },
    git: { LFS: usage.of('size:git:lfs') },
    wiki: usage.of('size:wiki'),
    assets: {
      attachments: {
        issues: usage.of('size:assets:attachments:issues'),
        releases: usage.of('size:assets:attachments:releases'),
      },
      artifacts: usage.of('size:assets:artifacts'),
      packages: { all: usage.of('size:assets:packages:all') },
    },
  },
});

/** Model `QuotaInfo`. */
export const toApiQuota = ({ usage, groups }: Quota, options: { readonly isAdmin: boolean }) => ({
  used: toUsed(usage),
  groups: groups.map((group) => toGroup(group, options.isAdmin)),
});
