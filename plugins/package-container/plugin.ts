import {
  database,
  definePlugin,
  fromPackage,
  defineService,
  Joi,
  locks,
  site,
  storage,
  systemActor,
} from '@mortise/plugin-sdk';
import { accounts, ownerQuota, storedBytes } from '@mortise/accounts/api';
import {
  packageAccess,
  packageFormats,
  packageStore,
  packageTokens,
  proxySources,
  proxySettings,
  type TokenProxySettings,
  sizeLimit,
} from '@mortise/packages/api';
import { cleanUpUploads } from './jobs/clean-up-uploads.js';
import { About, Instructions } from './pages/view.js';
import { imageRoutes } from './routes/image.js';
import { registryRefusal, registryRoutes } from './routes/registry.js';
import { Images } from './services/images.js';
import { Mirror } from './services/mirror.js';
import { errorReply, type } from './services/oci.js';
import { uploadBytes, Uploads } from './services/uploads.js';
import { t } from './texts/index.js';

const images = defineService<Images>('package-container.images');
const uploads = defineService<Uploads>('package-container.uploads');
const retentionMs = 24 * 3_600_000;

const signInHost = Joi.string()
  .pattern(/^[a-z0-9.-]+(?::\d{1,5})?$/i)
  .allow('')
  .default('')
  .description(
    'Host that gives tokens for the upstream, where it is another than its own, such as gitlab.example.com for registry.example.com; it is shown UPSTREAM_USERNAME and UPSTREAM_PASSWORD. That of the Docker Hub is known.',
  );

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [images, uploads, cleanUpUploads],

  register(host) {
    const settings = host.settings(
      'package-container',
      proxySettings('https://registry-1.docker.io', 'acme/**').append<TokenProxySettings>({
        UPSTREAM_SIGN_IN_HOST: signInHost,
      }),
    );
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      images,
      { packageStore, accounts, packageAccess },
      (services) => new Images(services.packageStore, services.accounts, services.packageAccess),
    );
    host.service(
      uploads,
      { database, locks, storage, packageStore, ownerQuota },
      (services) =>
        new Uploads(services.database, services.locks, services.storage, services.packageStore, services.ownerQuota),
    );
    host.contribute(storedBytes, { key: 'container-uploads', count: uploadBytes });
    host.routes({ images, packageTokens, site }, registryRoutes);
    host.settings('packages', sizeLimit('container'));
    host.contribute(packageFormats, { images, uploads, packageStore, site, proxySources }, (services) => {
      const source = services.proxySources.open(type, settings);
      const mirror = source && new Mirror(source);
      return {
        key: type,
        label: 'Container',
        takeover: async () => (await import('./takeover/container.js')).containerTakeover,
        icon: 'container',
        order: 60,
        root: '/v2/{owner}',
        routes: imageRoutes({ ...services, store: services.packageStore, mirror }),
        error: errorReply,
        refusal: registryRefusal(services.site),
        inUse: (package_) => services.images.inUse(package_),
        instructions: Instructions,
        about: About,
      };
    });
    host.job(cleanUpUploads, { attempts: 2 }, { images, uploads }, async (_payload, services, { signal }) => {
      const before = Date.now() - retentionMs;
      await services.uploads.sweep(before, signal);
      await services.images.sweep(before, systemActor('package-container'), signal);
    });
    host.schedule('clean-up', '30 0 * * *', cleanUpUploads, {}, { title: t.later('schedule.clean-up') });
  },
});
