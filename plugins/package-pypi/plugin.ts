import { cache, definePlugin, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore } from '@mortise/packages/api';
import { pypiFormat } from './format.js';
import { Projects, type Page } from './services/projects.js';

const projects = defineService<Projects>('package-pypi.projects');

export default definePlugin({
  name: 'package-pypi',
  version: '1.0.0',
  description: 'The Python package index protocol',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
  provides: [projects],

  register(host) {
    host.service(
      projects,
      { packageStore, cache },
      (services) => new Projects(services.packageStore, services.cache.fresh<Page>('package-pypi.pages', { max: 500 })),
    );
    host.contribute(packageFormats, { packageStore, projects }, (services) =>
      pypiFormat(services.projects, services.packageStore),
    );
  },
});
