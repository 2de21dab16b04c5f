import { reply } from '@mortise/plugin-sdk';
import type { PackageFormat } from '@mortise/packages/api';
import { about, instructions, readme } from './pages/view.js';
import { npmRoutes, type NpmRouteParts } from './routes/routes.js';

/** The npm registry as `packages` takes it. */
export const npmFormat = (parts: NpmRouteParts): PackageFormat => ({
  key: 'npm',
  label: 'npm',
  order: 20,
  routes: npmRoutes(parts),
  error: (problem) => reply.json({ error: problem.message }, problem.status),
  instructions,
  about,
  readme,
  deleted: (package_, remaining) => parts.registry.tags.afterDeletion(package_, remaining),
  tags: (package_) => parts.registry.tags.of(package_),
  latest: (packages) => parts.registry.tags.latest(packages),
});
