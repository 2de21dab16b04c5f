import { database, defineJob, definePlugin, defineService, events, jobs, site } from '@mortise/plugin-sdk';
import { repositories } from '@mortise/repositories/api';
import { documentsChanged, searchEngine, searchIndex, searchKinds, searchSources } from './api.js';
import { searchPages } from './pages/search.js';
import { Rebuild } from './services/rebuild.js';
import { repositoryKind } from './services/repository-kind.js';
import { DatabaseIndex } from './services/search-index.js';

/** Shared inside this plugin only. */
const rebuild = defineService<Rebuild>('search.rebuild');
const fillIndex = defineJob<Record<string, never>>('search.fillIndex');

export default definePlugin({
  name: 'search',
  version: '1.0.0',
  description: 'Full-text search: the index, and one page for everything',
  sdk: '^1.0.0',
  requires: { repositories: '^1.0.0' },
  provides: [searchIndex, searchSources, searchEngine, searchKinds, documentsChanged, rebuild, fillIndex],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    const sources = host.point(searchSources);
    const engine = host.point(searchEngine);
    host.service(searchIndex, { database, events }, (services) => new DatabaseIndex({ ...services, engine }));
    host.service(rebuild, { database, index: searchIndex }, (services) => new Rebuild({ ...services, sources }));

    const kinds = host.point(searchKinds);
    host.contribute(searchKinds, { repositories, site }, repositoryKind);
    host.routes({ site }, (services) => searchPages({ ...services, kinds }));
    host.job(
      fillIndex,
      { attempts: 3, concurrency: 1, leaseMs: 600_000 },
      { rebuild },
      async (_payload, services, job) => {
        await services.rebuild.run({ signal: job.signal });
      },
    );
    host.command(
      { name: 'search rebuild', summary: 'Make the search index anew' },
      { rebuild },
      async ({ print }, services) => print(`${await services.rebuild.run({ isAnew: true })} texts were indexed.`),
    );
    host.doctor('index', { rebuild }, (services, { fix }) => services.rebuild.findings(fix));
    host.onStart({ rebuild, database, jobs }, async (services) => {
      if (await services.rebuild.isDue())
        await services.database.write(() => services.jobs.enqueue(fillIndex, {}, { uniqueKey: 'search.fillIndex' }));
    });
  },
});
