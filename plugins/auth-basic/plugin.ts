import { authMethods, definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { credentialChecks } from './api.js';
import { basicMethod } from './services/method.js';
import { basicSettings } from './settings.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [credentialChecks],

  register(host) {
    const settings = host.settings('service', basicSettings);
    const checks = host.point(credentialChecks);
    host.contribute(authMethods, { accounts }, (services) =>
      basicMethod(services.accounts, checks, settings.ENABLE_BASIC_AUTHENTICATION),
    );
  },
});
