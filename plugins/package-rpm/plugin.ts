import { database, definePlugin, fromPackage, defineService, Joi, locks, site } from '@mortise/plugin-sdk';
import { packageFormats, packageIndexes, packageStore, signingKeys, sizeLimit } from '@mortise/packages/api';
import { rpmFormat } from './format.js';
import { RpmRepositories } from './services/repositories.js';

interface SigningSettings {
  DEFAULT_RPM_SIGN_ENABLED: boolean;
}

/** Of `[packages]`. */
const signingSettings = Joi.object<SigningSettings, true>({
  DEFAULT_RPM_SIGN_ENABLED: Joi.boolean()
    .default(false)
    .description('Sign every RPM that is published with the key of its owner.'),
});
const repositories = defineService<RpmRepositories>('package-rpm.repositories');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [repositories],

  register(host) {
    const settings = host.settings('packages', signingSettings);
    host.service(
      repositories,
      { packageStore, packageIndexes, signingKeys, database, locks },
      (services) => new RpmRepositories(services),
    );
    host.settings('packages', sizeLimit('rpm'));
    host.contribute(packageFormats, { repositories, packageStore, site }, (services) =>
      rpmFormat(services.repositories, services.packageStore, {
        siteName: () => services.site.name,
        signsAll: settings.DEFAULT_RPM_SIGN_ENABLED,
      }),
    );
  },
});
