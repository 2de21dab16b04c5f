import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'branch-protection',
  version: '1.0.0',
  description: 'Rules for branches and tags',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', contents: '^1.0.0' },
  optional: { 'commit-status': '^1.0.0' },
  provides: [],

  register() {},
});
