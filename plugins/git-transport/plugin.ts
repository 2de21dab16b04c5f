import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'git-transport',
  version: '1.0.0',
  description:
    'Which repository a git client means, what it may do there, and one pack for many: shared by HTTP and SSH',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0' },

  provides: [],

  register() {},
});
