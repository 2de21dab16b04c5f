import { reply } from '@mortise/plugin-sdk';
import type { PackageFormat } from '@mortise/packages/api';
import { About, Instructions, readme } from './pages/view.js';
import { npmRoutes, type NpmRouteDeps } from './routes/packages.js';

/** The npm registry as `packages` takes it. */
export const npmFormat = (deps: NpmRouteDeps): PackageFormat => ({
  key: 'npm',
  label: 'npm',
  takeover: async () => (await import('./takeover/npm.js')).npmTakeover,
  order: 20,
  routes: npmRoutes(deps),
  error: (problem) => reply.json({ error: problem.message }, problem.status),
  instructions: Instructions,
  about: About,
  readme,
  deleted: (package_, remaining) => deps.registry.tags.afterDeletion(package_, remaining),
  tags: (package_) => deps.registry.tags.of(package_),
  latest: (packages) => deps.registry.tags.latest(packages),
});
