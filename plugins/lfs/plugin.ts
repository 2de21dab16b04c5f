import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'lfs',
  version: '1.0.0',
  description: 'Git LFS: batch, basic transfers, locks',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0' },
  optional: { 'git-ssh': '^1.0.0' },
  provides: [],

  register() {},
});
