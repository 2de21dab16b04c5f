import { backupSources, cache, definePlugin, fromPackage, Joi, publicSettings } from '@mortise/plugin-sdk';
import { gitReader, gitWriter, refsUpdated } from '@mortise/git/api';
import { fileRenderers } from '@mortise/markup/api';
import { commitWriter, repositories, repositoryTabs } from '@mortise/repositories/api';
import { fileActions, fileChanges, fileNotices, lineActions, mediaSources } from './contract/files.js';
import { ChangeService } from './services/change-service.js';
import { ContentsReader } from './services/contents-reader.js';
import { warmHome } from './services/cache-warming.js';
import { contentsSettings } from './settings.js';
import { t } from './texts/index.js';
import {
  archiveService,
  contentsReader,
  cleanArchives,
  fileOutlines,
  registerRoutes,
  registerArchives,
  registerOutlines,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    fileActions,
    fileNotices,
    lineActions,
    fileChanges,
    mediaSources,
    archiveService,
    contentsReader,
    cleanArchives,
    fileOutlines,
  ],

  register(host) {
    registerRoutes(host);
    registerArchives(host);
    registerOutlines(host);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(backupSources, { key: 'files', caches: { areas: ['repo-archive'], tables: ['file_archive'] } });
    host.service(
      contentsReader,
      { git: gitReader, repositories, cache },
      (services) =>
        new ContentsReader({
          ...services,
          answers: services.cache.memory<unknown>('files.answers'),
        }),
    );
    host.service(
      fileChanges,
      { git: gitReader, writer: gitWriter, commits: commitWriter },
      (services) => new ChangeService(services),
    );
    // Whoever looks at a repository after a push finds the slow answers made.
    host.on(refsUpdated, 'after', 'warm-home', { git: gitReader, repositories }, async (change, services) => {
      if (change.kind === 'code') await warmHome(services, change);
    });
    host.contribute(fileRenderers, {
      key: 'jupyter',
      extensions: ['.ipynb'],
      module: new URL('./services/notebook.js', import.meta.url),
    });
    const { DEFAULT_MAX_RESPONSE_SIZE } = host.settings('api', contentsSettings);
    host.contribute(publicSettings, {
      key: 'contents',
      page: 'api',
      schema: { default_max_response_size: Joi.number().required() },
      values: { default_max_response_size: DEFAULT_MAX_RESPONSE_SIZE },
    });
    host.contribute(repositoryTabs, {
      key: 'code',
      label: t.later('code'),
      icon: 'code',
      href: '',
      order: 0,
      visible: ({ context }) => context.may('read', 'code'),
    });
    for (const name of ['code', 'finder', 'folding', 'line-menu', 'symbols'])
      host.island(name, new URL(`./pages/islands/${name}.js`, import.meta.url));
  },
});
