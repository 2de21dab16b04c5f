import { definePlugin } from '@mortise/plugin-sdk';

export default definePlugin({
  name: 'editor',
  version: '1.0.0',
  description: 'Edit, upload and delete files in the browser',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', contents: '^1.0.0', markup: '^1.0.0' },

  provides: [],

  register() {},
});
