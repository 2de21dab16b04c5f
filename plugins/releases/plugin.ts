import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'releases',
  version: '1.0.0',
  description: 'Releases with notes and files',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', contents: '^1.0.0', markup: '^1.0.0' },
  optional: { webhooks: '^1.0.0' },
  provides: [],

  register() {},
});
