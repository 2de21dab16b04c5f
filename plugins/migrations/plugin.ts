import { definePlugin } from '@mortise/plugin-sdk';
import { migrationSources } from './api.js';

export default definePlugin({
  name: 'repository-migrations',
  version: '1.0.0',
  description: 'Repositories from other services, with issues, pull requests and releases',
  sdk: '^1.0.0',
  requires: {
    accounts: '^1.0.0',
    attachments: '^1.0.0',
    git: '^1.0.0',
    issues: '^1.0.0',
    pulls: '^1.0.0',
    releases: '^1.0.0',
    repositories: '^1.0.0',
    reviews: '^1.0.0',
    wiki: '^1.0.0',
  },
  optional: { lfs: '^1.0.0' },
  provides: [migrationSources],

  register(host) {
    host.point(migrationSources);
  },
});
