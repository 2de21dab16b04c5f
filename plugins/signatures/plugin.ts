import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'signatures',
  version: '1.0.0',
  description: 'GPG keys, and what the signatures of commits and tags prove',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', contents: '^1.0.0' },

  provides: [],

  register() {},
});
