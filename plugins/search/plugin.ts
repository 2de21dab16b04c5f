import {
  database,
  defineJob,
  definePlugin,
  fromPackage,
  defineService,
  events,
  jobs,
  site,
  searchTargets,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, languageColors, refsUpdated } from '@mortise/git/api';
import { repositories, repositoryAccess, repositoryEdited } from '@mortise/repositories/api';
import { documentsChanged, searchEngine, searchIndex, searchKinds, searchSources } from './api.js';
import { IndexProgressRow } from './models/source.js';
import { TreeRow } from './models/indexed-tree.js';
import { searchPages, searchPath } from './pages/search.js';
import { CodeIndexer } from './services/code-index.js';
import { codeKindOf, commitKindOf } from './services/code-kinds.js';
import { commitSource, fileKind, fileSource } from './services/code-sources.js';
import { Rebuild } from './services/rebuild.js';
import { accountSearchKind, repositorySearchKind } from './services/repository-kind.js';
import { DatabaseIndex } from './services/search-index.js';
import { indexerSettings } from './settings.js';
import { registerPalette } from './wiring.js';

/** Shared inside this plugin only. */
const rebuild = defineService<Rebuild>('search.rebuild');
const documents = defineService<DatabaseIndex>('search.documents');
const codeIndexer = defineService<CodeIndexer>('search.codeIndexer');
/** Brings the index up to the default branch of a repository. */
const indexCode = defineJob<{ readonly repositoryId: number }>('search.indexCode');
/** Has that done for all repositories after this one. */
const indexAllCode = defineJob<{ readonly afterId: number }>('search.indexAllCode');
const repositoriesAtOnce = 200;
const fillIndex = defineJob<Record<string, never>>('search.fillIndex');

const keyOf = (repositoryId: number) => ({ uniqueKey: `search.indexCode:${repositoryId}` });

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    searchIndex,
    searchSources,
    searchEngine,
    searchKinds,
    documentsChanged,
    documents,
    codeIndexer,
    rebuild,
    fillIndex,
    indexCode,
    indexAllCode,
  ],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    const sources = host.point(searchSources);
    const engine = host.point(searchEngine);
    const settings = host.settings('indexer', indexerSettings);
    host.service(documents, { database, events }, (services) => new DatabaseIndex({ ...services, engine }));
    host.service(searchIndex, { documents }, (services) => services.documents);
    host.service(rebuild, { database, index: searchIndex }, (services) => new Rebuild({ ...services, sources }));

    registerPalette(host);
    const kinds = host.point(searchKinds);
    host.contribute(searchTargets, { key: 'search', path: searchPath, order: 10 });
    host.contribute(searchKinds, { accounts, repositories, site }, repositorySearchKind);
    host.contribute(searchKinds, { accounts, site }, accountSearchKind);
    const code = { database, gitReader, index: searchIndex, repositories, repositoryAccess, site } as const;
    if (settings.REPO_INDEXER_ENABLED)
      for (const kind of [codeKindOf, commitKindOf])
        host.contribute(searchKinds, code, (services) => kind({ ...services, settings }));
    host.contribute(searchSources, { database, gitReader }, (services) => fileSource(services, settings.MAX_FILE_SIZE));
    host.contribute(searchSources, { database, gitReader }, commitSource);
    host.service(
      codeIndexer,
      { database, gitReader, repositories, index: documents, languages: languageColors },
      (services) => new CodeIndexer({ ...services, settings }),
    );
    host.job(
      indexCode,
      { attempts: 5, concurrency: 1, leaseMs: 120_000, timeoutMs: 3_600_000 },
      { codeIndexer },
      ({ repositoryId }, services, job) => services.codeIndexer.sync(repositoryId, job),
    );
    host.job(
      indexAllCode,
      { attempts: 5, concurrency: 1 },
      { codeIndexer, database, jobs },
      async ({ afterId }, services) => {
        const ids = await services.codeIndexer.repositoriesAfter(afterId, repositoriesAtOnce);
        const last = ids.at(-1);
        if (last === undefined) return;
        await services.database.write(async () => {
          for (const repositoryId of ids) await services.jobs.enqueue(indexCode, { repositoryId }, keyOf(repositoryId));
          await services.jobs.enqueue(indexAllCode, { afterId: last }, { uniqueKey: `search.indexAllCode:${last}` });
        });
      },
    );
    const follow = { jobs } as const;
    host.on(refsUpdated, 'within', 'index-code', follow, async ({ repositoryId, kind, updates }, services) => {
      if (kind !== 'code' || !updates.some(({ ref }) => ref.startsWith('refs/heads/'))) return;
      await services.jobs.enqueue(indexCode, { repositoryId }, keyOf(repositoryId));
    });
    host.on(repositoryEdited, 'within', 'index-default', follow, async ({ repositoryId }, services) => {
      await services.jobs.enqueue(indexCode, { repositoryId }, keyOf(repositoryId));
    });
    host.island('search-style', new URL('./pages/search.css', import.meta.url));
    host.routes({ site }, (services) => searchPages({ ...services, kinds }));
    host.job(
      fillIndex,
      { attempts: 3, concurrency: 1, leaseMs: 600_000 },
      { rebuild },
      async (_payload, services, job) => {
        await services.rebuild.run({ signal: job.signal });
      },
    );
    host.commandGroup({
      name: 'search',
      summary: 'Look after the search index',
      example: 'search rebuild',
    });
    host.command(
      { name: 'search rebuild', summary: 'Make the search index anew' },
      { rebuild },
      async ({ print }, services) => print(`${await services.rebuild.run({ isAnew: true })} texts were indexed.`),
    );
    host.doctor('index', { rebuild }, (services, { fix }) => services.rebuild.findings(fix));
    host.contribute(takeoverMappings, { rebuild, database, jobs }, (services) => ({
      key: 'search',
      tables: async () => [],
      async afterPass() {
        await services.rebuild.refresh();
        await services.database.write(() =>
          services.jobs.enqueue(indexAllCode, { afterId: 0 }, { uniqueKey: 'search.indexAllCode:0' }),
        );
      },
    }));
    host.onStart({ rebuild, database, jobs }, async (services) => {
      const isNew = !(await services.database.query(IndexProgressRow).findById(fileKind));
      // where a pass was broken off, or files are to be read once more
      const isBehind = Boolean(await services.database.query(TreeRow).findOne('commit_id', ''));
      if (isNew || isBehind)
        await services.database.write(() =>
          services.jobs.enqueue(indexAllCode, { afterId: 0 }, { uniqueKey: 'search.indexAllCode:0' }),
        );
      if (await services.rebuild.isDue())
        await services.database.write(() => services.jobs.enqueue(fillIndex, {}, { uniqueKey: 'search.fillIndex' }));
    });
  },
});
