import {
  backupSources,
  database,
  definePlugin,
  fromPackage,
  defineService,
  jobs,
  site,
  storage,
  takeoverMappings,
  type WriteBehind,
} from '@mortise/plugin-sdk';
import { reservedNames, storedBytes } from '@mortise/accounts/api';
import { repositoryDeleting, repositoryQuota } from '@mortise/repositories/api';
import { attachmentKinds, attachments } from './api.js';
import { removeContents, sweepContents } from './jobs/content-jobs.js';
import { attachmentRoutes } from './routes/attachments.js';
import { Contents, namedBlobs } from './services/contents.js';
import { downloadCounter } from './services/download-counter.js';
import { attachmentBytes, AttachmentStore, storageKey } from './services/attachment-store.js';
import { attachmentSettings } from './settings.js';
import { t } from './texts/index.js';

// With what only this plugin does; not part of the contract.
const store = defineService<AttachmentStore>('attachments.store');
const counter = defineService<WriteBehind>('attachments.counter');
const contents = defineService<Contents>('attachments.contents');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [attachments, attachmentKinds, store, counter, contents, removeContents, sweepContents],

  register(host) {
    const settings = host.settings('attachment', attachmentSettings);
    const kinds = host.point(attachmentKinds);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(reservedNames, { names: ['attachments'] });

    host.service(counter, { database }, (services) => downloadCounter(services.database, host.log));
    host.service(
      contents,
      { database, storage },
      (services) => new Contents({ ...services, area: services.storage.area('attachments') }),
    );
    host.service(
      store,
      { database, jobs, repositoryQuota, site, storage, counter },
      (services) =>
        new AttachmentStore({
          ...services,
          area: services.storage.area('attachments'),
          kinds,
          limits: { allowedTypes: settings.ALLOWED_TYPES, maxBytes: settings.MAX_SIZE * 1_048_576 },
        }),
    );
    host.service(attachments, { store }, (services) => services.store);
    host.routes({ store }, (services) => attachmentRoutes({ ...services, settings }));

    host.on(repositoryDeleting, 'within', 'remove', { store }, ({ repositoryId }, services) =>
      services.store.removeOfRepository(repositoryId),
    );
    host.job(removeContents, {}, { contents }, ({ keys = [], uuids = [] }, services) =>
      services.contents.remove([...keys, ...uuids.map((uuid) => storageKey({ kind: 'releases', uuid }))]),
    );
    host.job(sweepContents, { attempts: 1 }, { contents }, async (_payload, services, { signal }) => {
      await services.contents.sweep(undefined, signal);
    });
    host.schedule('sweep', '43 * * * *', sweepContents, {}, { title: t.later('schedule.sweep') });
    host.contribute(storedBytes, { key: 'attachments', count: attachmentBytes });
    host.contribute(backupSources, { key: 'attachments', blobs: namedBlobs });
    host.contribute(takeoverMappings, { storage }, (services) => ({
      key: 'attachments',
      tables: async () => (await import('./takeover/tables.js')).tables(() => services.storage.area('attachments')),
    }));
    host.doctor('contents', { contents }, (services, options) => services.contents.check(options));
    host.onStart({ counter }, async (services) => () => services.counter.close());
  },
});
