import { cache, definePlugin, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, upstreams, upstreamSettings } from '@mortise/packages/api';
import { pypiFormat } from './format.js';
import { Mirror } from './services/mirror.js';
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
    const settings = host.settings('package-pypi', upstreamSettings('https://pypi.org', 'acme-*'));
    host.service(
      projects,
      { packageStore, cache },
      (services) => new Projects(services.packageStore, services.cache.fresh<Page>('package-pypi.pages', { max: 500 })),
    );
    host.contribute(packageFormats, { packageStore, projects, upstreams }, (services) => {
      const upstream = services.upstreams.open('pypi', settings);
      return pypiFormat(services.projects, services.packageStore, upstream && new Mirror(upstream));
    });
  },
});
