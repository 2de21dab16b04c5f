import {
  cache,
  database,
  definePlugin,
  fromPackage,
  defineService,
  events,
  site,
  takeoverMappings,
  Encryption,
} from '@mortise/plugin-sdk';
import {
  accountFeatures,
  accountFilters,
  accountMail,
  accounts,
  guessLimits,
  loginSourceKinds,
  loginSources,
  settingsMenu,
  settingsPage,
} from '@mortise/accounts/api';
import { adminUserSections } from '@mortise/admin/api';
import { credentialChecks } from '@mortise/auth-basic/api';
import { accessRequirements } from '@mortise/repositories/api';
import { ownerConfirmation, signInFlow, signInLinks, signInSteps } from '@mortise/sessions/api';
import { secondFactorChanged, secondFactors, type EnrolledFactors } from './contract/auth-two-factor.js';
import { passkeyLink } from './pages/keys.js';
import { adminRoutes, adminSection, resetCommand } from './pages/admin.js';
import { codePages } from './pages/sign-in.js';
import { keySettingsPages, keySignInPages, keysSection } from './pages/keys.js';
import { makeSecurityPage, securityPages } from './pages/security.js';
import { auditChange } from './services/audit-change.js';
import { basicCheck } from './services/basic-check.js';
import { Confirmation } from './services/confirmation.js';
import { Factors } from './services/factors.js';
import { Keys } from './services/keys.js';
import { notifyChange } from './services/notices.js';
import { secondFactorRequirement, whereEnrolled } from './services/requirement.js';
import { EncryptedFields } from './services/encrypted-fields.js';
import { secondFactorStep } from './services/second-factor-step.js';
import { enforcementSettings, passkeySettings } from './settings.js';
import { t } from './texts/index.js';

const factors = defineService<Factors>('auth-two-factor.factors');
const confirmation = defineService<Confirmation>('auth-two-factor.confirmation');
const keys = defineService<Keys>('auth-two-factor.keys');
const encryptedFields = defineService<EncryptedFields>('auth-two-factor.encryptedFields');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [secondFactors, secondFactorChanged, factors, confirmation, keys, encryptedFields],

  register(host) {
    const { ENABLE_PASSKEY_AUTHENTICATION: hasPasskeys } = host.settings('service', passkeySettings);
    const isEnforced = host.settings('security', enforcementSettings).TWO_FACTOR_AUTH === 'enforced';
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
          known: services.cache.query<EnrolledFactors>('auth-two-factor.enrolled'),
          encryption: new Encryption(services.site.secret('auth-two-factor.totp')),
          codeKey: services.site.secret('auth-two-factor.recoveryCodes'),
        }),
    );
    host.contribute(takeoverMappings, { site }, (services) => ({
      key: 'auth-two-factor',
      tables: async () =>
        (await import('./takeover/tables.js')).tables(new Encryption(services.site.secret('auth-two-factor.totp'))),
    }));
    host.service(secondFactors, { factors }, (services) => services.factors);
    host.service(
      confirmation,
      { accountFeatures, accounts, ownerConfirmation },
      (services) => new Confirmation(services),
    );
    host.service(
      encryptedFields,
      { site },
      (services) => new EncryptedFields(new Encryption(services.site.secret('auth-two-factor.forms'))),
    );

    host.service(
      keys,
      { database, events, factors, encryptedFields, site },
      (services) => new Keys({ ...services, log: host.log }),
    );

    host.contribute(signInSteps, { loginSources, secondFactors }, secondFactorStep(isEnforced));
    host.routes({ factors, signInFlow, site }, codePages);
    host.island('webauthn', new URL('./pages/webauthn.js', import.meta.url));
    host.routes({ accounts, keys, signInFlow, site }, keySignInPages(hasPasskeys));
    if (hasPasskeys) host.contribute(signInLinks, { site }, (services) => passkeyLink(services.site));
    host.on(secondFactorChanged, 'within', 'mail', { accounts, accountMail, site }, notifyChange);
    host.on(secondFactorChanged, 'within', 'audit', { events }, auditChange);
    host.contribute(accountFilters, {
      key: 'second-factor',
      where: (holds, query) => whereEnrolled(query, holds, 'user.id'),
    });
    host.whenPresent('repositories', () => {
      if (isEnforced)
        host.contribute(accessRequirements, { accounts, loginSources, secondFactors, site }, (services) =>
          secondFactorRequirement({ ...services, kinds }),
        );
    });
    resetCommand(host);
    host.whenPresent('admin', () => {
      host.contribute(adminUserSections, { secondFactors, site }, adminSection);
      host.routes({ accounts, secondFactors, site }, adminRoutes);
    });
    host.whenPresent('auth-basic', () => {
      host.contribute(credentialChecks, { factors, loginSources }, basicCheck);
    });

    host.contribute(settingsMenu, {
      key: 'security',
      label: t.later('security.title'),
      href: '/user/settings/security',
      icon: 'shield-lock',
      order: 55,
      settings: [{ label: t.later('totp.title') }, { label: t.later('keys.title'), field: 'field-key-name' }],
    });
    host.routes({ accounts, factors, confirmation, keys, encryptedFields, settingsPage, site }, (parts) => {
      const page = makeSecurityPage(parts, isEnforced, keysSection(parts, hasPasskeys));
      return [...securityPages(parts, page), ...keySettingsPages(parts, page)];
    });
  },
});
