import {
  authMethods,
  cache,
  definePlugin,
  fromPackage,
  defineService,
  languages,
  Problem,
  site,
  textOf,
} from '@mortise/plugin-sdk';
import { accounts, loginSourceKinds, loginSources } from '@mortise/accounts/api';
import { secondFactors } from '@mortise/auth-two-factor/api';
import { signInFlow, signInLinks } from '@mortise/sessions/api';
import { sspiLink } from './pages/sign-in.js';
import { signInRoutes } from './pages/sign-in.js';
import { Acceptor } from './services/acceptor.js';
import { sspiKind } from './services/kind.js';
import { loadKerberos } from './services/library.js';
import { sspiMethod } from './services/method.js';
import { PrincipalAccounts } from './services/principal-accounts.js';
import { serviceOf, tryService, useKeytab } from './services/kerberos-service.js';
import { sspiSettings } from './settings.js';

const acceptor = defineService<Acceptor>('auth-sspi.acceptor');
const principalAccounts = defineService<PrincipalAccounts>('auth-sspi.principalAccounts');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [acceptor, principalAccounts],

  register(host) {
    const settings = host.settings('sspi', sspiSettings);
    const { log } = host;
    const load = () => {
      useKeytab(settings.KEYTAB);
      return loadKerberos();
    };

    host.service(
      acceptor,
      { cache, site },
      (services) =>
        new Acceptor({
          load,
          service: serviceOf(settings, services.site),
          used: services.cache.memory<true>('auth-sspi.used', { max: 50_000 }),
          log,
        }),
    );
    let hasFactors = false;
    host.whenPresent('auth-two-factor', () => (hasFactors = true));
    const known = { accounts, loginSources };
    if (hasFactors)
      host.service(principalAccounts, { ...known, secondFactors }, (services) => new PrincipalAccounts(services));
    else host.service(principalAccounts, known, (services) => new PrincipalAccounts(services));

    const missing = (): string | undefined => {
      try {
        load();
        return undefined;
      } catch (error) {
        if (Problem.is(error)) return textOf(error.text);
        throw error;
      }
    };
    host.contribute(loginSourceKinds, { languages, site }, (services) =>
      sspiKind({
        tryService: () => tryService(load, serviceOf(settings, services.site)),
        unmetRequirement: missing,
        languages: () => services.languages.offered(),
      }),
    );
    host.contribute(authMethods, { accounts, acceptor, principalAccounts }, (services) =>
      sspiMethod({ ...services, log }, settings),
    );
    host.whenPresent('sessions', () => {
      host.contribute(signInLinks, { principalAccounts, site }, (services) =>
        sspiLink(services.principalAccounts, services.site),
      );
      host.routes({ acceptor, principalAccounts, signInFlow, site }, signInRoutes);
    });

    host.doctor('kerberos', { principalAccounts, site }, async function* (services) {
      // nobody needs what nobody uses
      if (!(await services.principalAccounts.isOffered())) return;
      try {
        await tryService(load, serviceOf(settings, services.site));
        yield { level: 'ok', text: `Kerberos tickets for ${serviceOf(settings, services.site)} can be checked` };
      } catch (error) {
        yield { level: 'error', text: (error as Error).message };
      }
    });
  },
});
