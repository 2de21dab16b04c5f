import { cache, database, definePlugin, defineService, events, site, Vault } from '@mortise/plugin-sdk';
import {
  accounts,
  guessLimits,
  loginSourceKinds,
  loginSources,
  settingsMenu,
  settingsPage,
} from '@mortise/accounts/api';
import { credentialChecks } from '@mortise/auth-basic/api';
import { sessions, signInFlow, signInSteps } from '@mortise/sessions/api';
import { secondFactorChanged, secondFactors, type EnrolledFactors } from './api.js';
import { codePages } from './routes/code.js';
import { makeSecurityPage, securityPages } from './routes/security.js';
import { basicCheck } from './services/basic.js';
import { Confirmation } from './services/confirm.js';
import { Factors } from './services/factors.js';
import { SealedFields } from './services/sealed.js';
import { secondFactorStep } from './services/step.js';
import { t } from './texts/index.js';

const factors = defineService<Factors>('auth-two-factor.factors');
const confirmation = defineService<Confirmation>('auth-two-factor.confirmation');
const sealed = defineService<SealedFields>('auth-two-factor.sealed');

export default definePlugin({
  name: 'auth-two-factor',
  version: '1.0.0',
  description: 'A second factor: one-time codes, security keys and passkeys',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', sessions: '^1.0.0' },
  optional: { 'auth-basic': '^1.0.0' },
  provides: [secondFactors, secondFactorChanged, factors, confirmation, sealed],

  register(host) {
    const kinds = host.point(loginSourceKinds);
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      factors,
      { cache, database, events, limits: guessLimits, site },
      (services) =>
        new Factors({
          database: services.database,
          events: services.events,
          limits: services.limits,
          known: services.cache.fresh<EnrolledFactors>('auth-two-factor.enrolled', { max: 10_000 }),
          vault: new Vault(services.site.secret('auth-two-factor.totp')),
          codeKey: services.site.secret('auth-two-factor.recoveryCodes'),
        }),
    );
    host.service(secondFactors, { factors }, (services) => services.factors);
    host.service(confirmation, { accounts, loginSources, sessions }, (services) => new Confirmation(services, kinds));
    host.service(
      sealed,
      { site },
      (services) => new SealedFields(new Vault(services.site.secret('auth-two-factor.forms'))),
    );

    host.contribute(signInSteps, { loginSources, secondFactors }, secondFactorStep);
    host.routes({ factors, signInFlow, site }, codePages);
    host.whenPresent('auth-basic', () => {
      host.contribute(credentialChecks, { factors, loginSources }, basicCheck);
    });

    host.contribute(settingsMenu, {
      key: 'security',
      label: t.later('security.title'),
      href: '/user/settings/security',
      icon: 'shield-lock',
      order: 55,
      settings: [{ label: t.later('totp.title') }],
    });
    host.routes({ factors, confirmation, sealed, settingsPage, site }, (parts) =>
      securityPages(parts, makeSecurityPage(parts, false)),
    );
  },
});
