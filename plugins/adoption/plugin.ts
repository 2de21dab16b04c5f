import { resolve } from 'node:path';
import { definePlugin, fromPackage, defineService, site } from '@mortise/plugin-sdk';
import { accounts, settingsMenu, settingsPage } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { gitReader, gitStore } from '@mortise/git/api';
import { repositories, repositoryDefaults, repositoryCreator } from '@mortise/repositories/api';
import { adoptionCommands } from './commands/adoption.js';
import { adoptionPageRoutes } from './pages/adoption.js';
import { unadoptedRoutes } from './routes/unadopted.js';
import { AdoptionService } from './services/adoption.js';
import { adoptionSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of a contract. */
const adoption = defineService<AdoptionService>('adoption.adoption');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [adoption],

  register(host) {
    const settings = host.settings('repository', adoptionSettings);
    host.service(
      adoption,
      {
        accounts,
        reader: gitReader,
        store: gitStore,
        repositories,
        making: repositoryCreator,
        defaults: repositoryDefaults,
        site,
      },
      (services) =>
        new AdoptionService({
          ...services,
          root: resolve(services.site.workDir, settings.ADOPTION_PATH),
          defaultBranch: services.defaults.branch,
        }),
    );
    host.routes({ adoption }, unadoptedRoutes);
    adoptionCommands(host, adoption);
    const entry = { label: t.later('adopt.title'), icon: 'file-directory', order: 70 } as const;
    if (settings.ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES || settings.ALLOW_DELETION_OF_UNADOPTED_REPOSITORIES) {
      const path = '/user/settings/adopt';
      host.contribute(settingsMenu, { key: 'adopt', href: path, ...entry });
      host.routes({ adoption, site, frame: settingsPage }, ({ frame, ...services }) =>
        adoptionPageRoutes({ ...services, settings }, { path, key: 'adopt', frame, everybody: false }),
      );
    }
    host.whenPresent('admin', () => {
      const path = '/-/admin/adopt';
      host.contribute(adminMenu, { key: 'adopt', href: path, ...entry });
      host.routes({ adoption, site, frame: adminPage }, ({ frame, ...services }) =>
        adoptionPageRoutes({ ...services, settings }, { path, key: 'adopt', frame, everybody: true }),
      );
    });
  },
});
