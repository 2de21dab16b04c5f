import { authMethods, definePlugin } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { credentialChecks } from './api.js';
import { basicMethod } from './services/method.js';
import { basicSettings } from './settings.js';

export default definePlugin({
  name: 'auth-basic',
  version: '1.0.0',
  description: 'HTTP basic authentication with name and password',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0' },
  provides: [credentialChecks],

  register(host) {
    const settings = host.settings('service', basicSettings);
    const checks = host.point(credentialChecks);
    host.contribute(authMethods, { accounts }, (services) =>
      basicMethod(services.accounts, checks, settings.ENABLE_BASIC_AUTHENTICATION),
    );
  },
});
