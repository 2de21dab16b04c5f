import { authMethods, cache, definePlugin, fromPackage, reply } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { signOutSteps } from '@mortise/sessions/api';
import { proxyMethod, surfacesOf } from './services/method.js';
import { headerSettings, proxySettings } from './settings.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    const settings = host.settings('service', proxySettings);
    const headers = host.settings('security', headerSettings);
    if (surfacesOf(settings).length === 0) return;
    host.contribute(authMethods, { accounts, cache }, (services) => {
      const logged = services.cache.memory<true>('auth-reverse-proxy.logged', { ttl: 600_000 });
      return proxyMethod({ accounts: services.accounts, log: host.log, logged }, settings, headers);
    });
    const out = headers.REVERSE_PROXY_LOGOUT_REDIRECT;
    if (!out) return;
    host.whenPresent('sessions', () => {
      host.contribute(signOutSteps, {
        key: 'reverse-proxy',
        next: async ({ actor }) => (actor.method === 'reverse-proxy' ? reply.redirect(out) : undefined),
      });
    });
  },
});
