import { database, definePlugin, fromPackage, defineService, site } from '@mortise/plugin-sdk';
import { userDeleting } from '@mortise/accounts/api';
import { packageAccess, packageFormats, packageStore, signingKeys, sizeLimit } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { archiveRoutes } from './routes/archives.js';
import { discoveryRoutes } from './routes/discovery.js';
import { stateRoutes } from './routes/states.js';
import { Archives } from './services/archives.js';
import { isState, States, type } from './services/states.js';

const states = defineService<States>('package-terraform.states');
const archives = defineService<Archives>('package-terraform.archives');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [states, archives],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      states,
      { database, packageStore, packageAccess },
      (services) =>
        new States({ database: services.database, store: services.packageStore, access: services.packageAccess }),
    );
    host.service(
      archives,
      { packageStore, signingKeys },
      (services) => new Archives(services.packageStore, services.signingKeys),
    );
    host.settings('packages', sizeLimit('terraform'));
    host.settings('packages', sizeLimit('terraform_state'));
    host.contribute(packageFormats, { states, archives, packageStore }, (services) => ({
      key: type,
      label: 'Terraform',
      order: 70,
      // not states, whose names have no slash
      openNames: ['modules/', 'providers/'],
      routes: [
        ...stateRoutes(services.states, services.packageStore),
        ...archiveRoutes(services.archives, services.packageStore),
      ],
      // the next plan begins with it
      inUse: async ({ id, lowerName }) =>
        new Set(isState(lowerName) ? [(await services.packageStore.latest(id))?.id ?? 0] : []),
      checkDeletion: (package_, version) => services.states.checkDeletion(package_, version),
      instructions: Instructions,
      about: About,
    }));
    host.routes({ site }, discoveryRoutes);
    host.on(userDeleting, 'within', 'forget-locks', { states }, ({ userId }, services) =>
      services.states.forget(userId),
    );
  },
});
