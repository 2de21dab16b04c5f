import {
  database,
  defineJob,
  definePlugin,
  fromPackage,
  scheduleTask,
  storage,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import {
  accountFilters,
  accountBlocks,
  accountFeatures,
  accountCodes,
  accountMail,
  accountPictures,
  accounts,
  credentialsChanged,
  dashboardDetails,
  dashboardSteps,
  waitingSources,
  ownerConfirmations,
  ownerQuota,
  storageLimits,
  storedBytes,
  primaryEmailChanged,
  emailClaimReleased,
  emails,
  guessLimits,
  exploreRules,
  exploreTabs,
  loginSourceKinds,
  loginSources,
  memberships,
  membershipSources,
  profileDetails,
  profileIntroductions,
  profilePages,
  profileTabs,
  publicKeyAdding,
  publicKeys,
  reservedNames,
  settingsMenu,
  settingsPage,
  showKey,
  userCreated,
  userDeleted,
  userDeleting,
  userRenamed,
  userVisibilityChanged,
} from './api.js';
import { syncExternalUsers as syncJob } from './contract/login-sources.js';
import { markupReferences } from '@mortise/markup/api';
import { deleteInactiveAccounts } from './jobs/delete-inactive-accounts.js';
import { syncExternalUsers } from './jobs/sync-external-users.js';
import { keyRoutes } from './routes/keys.js';
import { relationRoutes } from './routes/relations.js';
import { userRoutes } from './routes/user.js';
import { usersRoutes } from './routes/users.js';
import { mentions } from './services/mentions.js';
import { PublicKeyService } from './services/public-keys.js';
import { externalUserSettings, inactiveAccountSettings } from './settings.js';
import {
  avatars,
  signInGuard,
  loginSourceReader,
  emailConfirmation,
  relations,
  openSettings,
  registerAccounts,
  registerMail,
  registerProfiles,
  registerPages,
} from './wiring.js';
import { t } from './texts/index.js';

const deleteInactive = defineJob<Record<string, never>>('accounts.deleteInactive');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    accountBlocks,
    accountFeatures,
    accountCodes,
    accountMail,
    emailConfirmation,
    exploreRules,
    accountPictures,
    accounts,
    emails,
    accountFilters,
    guessLimits,
    signInGuard,
    loginSourceKinds,
    loginSources,
    loginSourceReader,
    syncJob,
    memberships,
    membershipSources,
    publicKeys,
    showKey,
    settingsPage,
    avatars,
    relations,
    userCreated,
    userRenamed,
    userVisibilityChanged,
    publicKeyAdding,
    userDeleting,
    userDeleted,
    credentialsChanged,
    primaryEmailChanged,
    emailClaimReleased,
    ownerConfirmations,
    ownerQuota,
    storageLimits,
    storedBytes,
    profileTabs,
    profileDetails,
    profileIntroductions,
    profilePages,
    exploreTabs,
    dashboardDetails,
    dashboardSteps,
    waitingSources,
    settingsMenu,
    reservedNames,
  ],

  register(host) {
    const opened = openSettings(host);
    registerAccounts(host, opened);
    registerMail(host, opened);
    registerProfiles(host, opened);
    registerPages(host, opened);
    host.whenPresent('markup', () => {
      host.contribute(markupReferences, { accounts, memberships }, mentions);
    });
    const syncing = host.settings('cron.sync_external_users', externalUserSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.job(
      syncJob,
      { attempts: 3, concurrency: 1, leaseMs: 600_000, timeoutMs: 2 * 3_600_000 },
      { accounts, database, loginSources, loginSourceReader },
      (_payload, services, context) =>
        syncing.ENABLED
          ? syncExternalUsers(services, { updatesExisting: syncing.UPDATE_EXISTING }, context)
          : Promise.resolve(),
    );
    const times = {
      id: 'sync-external-users',
      taskName: 'sync_external_users',
      title: t.later('schedule.sync-external-users'),
      schedule: '@midnight',
    };
    scheduleTask(host, times, syncJob, {});
    const cleaning = host.settings('cron.delete_inactive_accounts', inactiveAccountSettings);
    host.job(deleteInactive, {}, { accounts, database }, (_payload, services, context) =>
      deleteInactiveAccounts(services, Date.now() - cleaning.OLDER_THAN, context),
    );
    const task = {
      id: 'delete-inactive-accounts',
      taskName: 'delete_inactive_accounts',
      title: t.later('schedule.deleteInactive'),
      schedule: '@annually',
      isEnabled: cleaning.ENABLED,
    };
    scheduleTask(host, task, deleteInactive, {});
    host.contribute(takeoverMappings, { database, storage, loginSourceReader }, (services) => ({
      key: 'accounts',
      ignoredTables: ['email_hash', 'user_open_id', 'session', 'auth_token'],
      tables: async () =>
        (await import('./takeover/tables.js')).tables(
          () => services.storage.area('avatars'),
          services.loginSourceReader,
        ),
      afterPass: async (context) =>
        (await import('./takeover/after-pass.js')).reportLostSources(services.database, context),
    }));
    host.routes({ accounts, emails, emailConfirmation, avatars, features: accountFeatures }, userRoutes);
    host.routes({ accounts, avatars, rules: exploreRules }, (services) =>
      usersRoutes({ ...services, isSearchable: !opened.explore.DISABLE_USERS_PAGE }),
    );
    host.routes({ accounts, memberships, relations }, relationRoutes);
    host.routes({ accounts, publicKeys, showKey, features: accountFeatures }, keyRoutes);
    host.onStart({ publicKeys }, async (services) => {
      const { uses } = services.publicKeys as PublicKeyService;
      return () => uses.close();
    });
  },
});
