import {
  cache,
  database,
  definePlugin,
  fromPackage,
  defineService,
  events,
  site,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accountFeatures, accounts, emails, publicKeys, settingsMenu, settingsPage } from '@mortise/accounts/api';
import { signatureVerifiers } from '@mortise/history/api';
import { commitSigners, repositoryMembers } from '@mortise/repositories/api';
import { gpgKeys, serverSigning } from './contract/signatures.js';
import { gpgKeyRoutes } from './routes/gpg-keys.js';
import { gpgPageRoutes } from './pages/gpg-keys.js';
import { signingKeyRoutes } from './routes/signing-keys.js';
import { GpgKeyService } from './services/gpg-keys.js';
import { TrustedVerifier } from './services/trusted-verifier.js';
import { Challenges } from './services/challenge.js';
import { ServerKey } from './services/server-key.js';
import { ServerSigner } from './services/server-signing.js';
import { Verifier } from './services/verifier.js';
import { signingSettings } from './settings.js';
import { t } from './texts/index.js';

const serverKey = defineService<ServerKey>('signatures.serverKey');
const verifier = defineService<Verifier>('signatures.verifier');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  provides: [gpgKeys, serverSigning, serverKey, verifier],

  register(host) {
    const settings = host.settings('repository.signing', signingSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'signatures',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });

    host.service(
      gpgKeys,
      { database, emails, events, site },
      (services) =>
        new GpgKeyService(
          services.database,
          services.emails,
          new Challenges(services.site.secret('signatures.proof')),
          services.events,
        ),
    );
    host.service(serverKey, { site }, (services) => new ServerKey(settings, services.site));
    host.service(verifier, { accounts, publicKeys, gpgKeys, serverKey, cache }, (services) => new Verifier(services));
    host.service(
      serverSigning,
      { serverKey, gpgKeys, publicKeys, verifier },
      (services) => new ServerSigner({ ...services, settings }),
    );
    host.contribute(
      signatureVerifiers,
      { verifier, users: repositoryMembers, cache },
      (services) => new TrustedVerifier(services, settings.DEFAULT_TRUST_MODEL),
    );
    host.contribute(commitSigners, { serverSigning }, (services) => ({
      key: 'signatures',
      signer: (request) => services.serverSigning.signer(request),
    }));
    host.contribute(settingsMenu, {
      key: 'gpg-keys',
      label: t.later('title'),
      href: '/user/settings/gpg_keys',
      icon: 'verified',
      order: 41,
      settings: [{ label: t.later('add'), field: 'gpg-key' }],
    });

    host.routes({ accountFeatures, emails, gpgKeys }, gpgKeyRoutes);
    host.routes({ serverSigning }, signingKeyRoutes);
    host.routes({ accountFeatures, accounts, emails, gpgKeys, settingsPage, site }, gpgPageRoutes);

    // A signing key that cannot be read is told at the start, not with the first commit.
    host.onStart({ serverKey }, async (services) => void (await services.serverKey.load()));
  },
});
