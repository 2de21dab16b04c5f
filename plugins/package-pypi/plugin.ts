import { cache, definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { ThreadPool } from '@mortise/plugin-sdk/threads';
import { packageFormats, packageStore, proxySources, proxySettings, sizeLimit } from '@mortise/packages/api';
import { pypiFormat } from './format.js';
import { Mirror } from './services/mirror.js';
import { Projects, type Page } from './services/projects.js';

const projects = defineService<Projects>('package-pypi.projects');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [projects],

  register(host) {
    const settings = host.settings('package-pypi', proxySettings('https://pypi.org', 'acme-*'));
    host.service(
      projects,
      { packageStore, cache },
      (services) => new Projects(services.packageStore, services.cache.query<Page>('package-pypi.pages')),
    );
    const threads = new ThreadPool(new URL('./services/rewrite-thread.js', import.meta.url), {
      threads: 2,
      memory: 256,
      time: 20_000,
    });
    host.onStart({}, async () => () => threads.close());
    host.settings('packages', sizeLimit('pypi'));
    host.contribute(packageFormats, { packageStore, projects, proxySources }, (services) => {
      const source = services.proxySources.open('pypi', settings);
      return pypiFormat(services.projects, services.packageStore, source && new Mirror(source, threads));
    });
  },
});
