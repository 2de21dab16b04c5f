import { randomUUID } from 'node:crypto';
import {
  backupSources,
  broker,
  cache,
  database,
  definePlugin,
  defineService,
  events,
  languageOf,
  languages,
  site,
  storage,
  resources,
  Vault,
  themeOf,
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
  ownerConfirmations,
  primaryEmailChanged,
  emailClaimReleased,
  emails,
  guessLimits,
  exploreTabs,
  loginSourceKinds,
  loginSources,
  syncExternalUsers as syncJob,
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
  type Account,
  type LoginSource,
  type Membership,
} from './api.js';
import { markupReferences } from '@mortise/markup/api';
import { mailer } from '@mortise/mail/api';
import { activateEmailRoutes } from './routes/activate-email.js';
import { syncExternalUsers } from './jobs/sync-external-users.js';
import { keyRoutes } from './routes/keys.js';
import { profilePageRoutes } from './routes/profile-pages.js';
import { relationRoutes } from './routes/relations.js';
import { blockedPageRoutes } from './routes/blocked-pages.js';
import { accountSettingsRoutes } from './routes/account-settings-pages.js';
import { settingsPageRoutes } from './routes/settings-pages.js';
import { settingsSearchRoutes } from './routes/settings-search.js';
import { userRoutes } from './routes/user.js';
import { usersRoutes } from './routes/users.js';
import { makeSettingsPage } from './pages/settings-layout.js';
import { MailToAccounts } from './services/account-mail.js';
import { AccountService } from './services/accounts.js';
import { Admission } from './services/admission.js';
import { Avatars, namedBlobs } from './services/avatars.js';
import { Codes } from './services/codes.js';
import { EmailConfirmation } from './services/confirmation.js';
import { EmailService } from './services/emails.js';
import { FeatureService } from './services/features.js';
import { LoginSourceReader, LoginSourceService } from './services/login-sources.js';
import { tellOfAddress, tellOfReleasedClaim, tellOfPassword } from './services/notices.js';
import { Passwords } from './services/passwords.js';
import { RecentChecks } from './services/recent-checks.js';
import { MembershipService } from './services/memberships.js';
import { mentions } from './services/mentions.js';
import { Present } from './services/present.js';
import { PublicKeyService } from './services/public-keys.js';
import { Relations } from './services/relations.js';
import { makeShowKey } from './services/show-key.js';
import { SignInGuard } from './services/sign-in-guard.js';
import { userResolvers } from './services/resources.js';
import { ownMenu } from './services/settings-menu.js';
import { t } from './texts/index.js';
import {
  externalUserSettings,
  featureSettings,
  keySettings,
  askedKinds,
  hashCosts,
  passwordSettings,
  pictureSettings,
  serviceSettings,
  signInSettings,
} from './settings.js';

const avatars = defineService<Avatars>('accounts.avatars');
const signInGuard = defineService<SignInGuard>('accounts.signInGuard');
const loginSourceReader = defineService<LoginSourceReader>('accounts.loginSourceReader');
const emailConfirmation = defineService<EmailConfirmation>('accounts.emailConfirmation');
const relations = defineService<Relations>('accounts.relations');

export default definePlugin({
  name: 'accounts',
  version: '1.0.0',
  description: 'Users, email addresses, SSH keys and settings',
  sdk: '^1.0.0',
  optional: { mail: '^1.0.0', markup: '^2.0.0' },
  provides: [
    accountBlocks,
    accountFeatures,
    accountCodes,
    accountMail,
    emailConfirmation,
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
    profileTabs,
    profileDetails,
    profileIntroductions,
    profilePages,
    exploreTabs,
    dashboardDetails,
    settingsMenu,
    reservedNames,
  ],

  register(host) {
    host.whenPresent('markup', () => {
      host.contribute(markupReferences, { accounts, memberships }, mentions);
    });
    const settings = host.settings('service', serviceSettings);
    const passwords = host.settings('security', passwordSettings);
    const guarding = host.settings('security', signInSettings);
    const pictures = host.settings('picture', pictureSettings);
    const keys = host.settings('ssh.minimum_key_sizes', keySettings);
    const syncing = host.settings('cron.sync_external_users', externalUserSettings);
    const features = host.settings('admin', featureSettings);
    const reserved = host.point(reservedNames);
    const menu = host.point(settingsMenu);
    const sources = host.point(membershipSources);
    const filters = host.point(accountFilters);
    host.migrations(new URL('./migrations/', import.meta.url));

    const kinds = host.point(loginSourceKinds);
    host.service(
      loginSourceReader,
      { cache, database, site },
      (kernel) =>
        new LoginSourceReader(
          kernel.database,
          kinds,
          kernel.cache.fresh<readonly LoginSource[]>('accounts.loginSources', { max: 1 }),
          new Vault(kernel.site.secret('accounts.loginSources')),
        ),
    );
    host.service(
      loginSources,
      { accounts, database, loginSourceReader },
      (services) =>
        new LoginSourceService(
          services.database,
          services.loginSourceReader,
          new Admission(services.database, services.accounts, kinds, host.log),
        ),
    );
    host.service(
      signInGuard,
      { broker, cache, site },
      (kernel) =>
        new SignInGuard({ ...kernel, secret: kernel.site.secret('accounts.failures'), log: host.log }, guarding),
    );
    host.service(guessLimits, { signInGuard }, (services) => ({
      // two requests with the same guess are two guesses
      attempt: (given, check) => services.signInGuard.attempt({ ...given, password: randomUUID() }, check),
    }));
    host.service(accounts, { database, events, cache, signInGuard, site, loginSourceReader }, (kernel) => {
      const max = passwords.SUCCESSFUL_TOKENS_CACHE_SIZE;
      const remembered = (name: string) =>
        max === 0 ? undefined : kernel.cache.memory<true>(name, { max, ttl: 60_000 });
      return new AccountService({
        database: kernel.database,
        events: kernel.events,
        rows: kernel.cache.fresh<Account | undefined>('accounts.rows', { max: 10_000 }),
        searches: kernel.cache.fresh('accounts.searches', { max: 500 }),
        signInCache: kernel.cache.fresh('accounts.signIn', { max: 1000 }),
        hashesInUse: kernel.cache.memory('accounts.hashesInUse', { max: 1, ttl: 600_000 }),
        passwords: new Passwords(
          kernel.site.secret('accounts.passwords'),
          remembered('accounts.passwords'),
          passwords.MIN_PASSWORD_LENGTH,
          askedKinds(passwords.PASSWORD_COMPLEXITY),
          hashCosts(passwords.PASSWORD_HASH_ALGO),
        ),
        recent: new RecentChecks(kernel.site.secret('accounts.recentChecks'), remembered('accounts.recentChecks')),
        guard: kernel.signInGuard,
        present: new Present(kernel.site, settings.NO_REPLY_ADDRESS),
        reserved,
        sources,
        filters,
        settings,
        loginSources: kernel.loginSourceReader,
        log: host.log,
      });
    });
    host.job(
      syncJob,
      { attempts: 3, concurrency: 1, leaseMs: 600_000, timeoutMs: 2 * 3_600_000 },
      { accounts, database, loginSources, loginSourceReader },
      (_payload, services, context) =>
        syncing.ENABLED
          ? syncExternalUsers(services, { updatesExisting: syncing.UPDATE_EXISTING }, context)
          : Promise.resolve(),
    );
    host.schedule('sync-external-users', syncing.SCHEDULE, syncJob, {}, { taskName: 'sync_external_users' });
    host.service(
      accountFeatures,
      { accounts, loginSourceReader },
      (services) => new FeatureService(services.accounts, services.loginSourceReader, features),
    );
    host.service(
      memberships,
      { cache },
      (kernel) =>
        new MembershipService(
          sources,
          kernel.cache.fresh<ReadonlyMap<number, Membership>>('accounts.memberships', { max: 10_000 }),
        ),
    );
    host.service(emails, { database, events }, (kernel) => new EmailService(kernel.database, kernel.events));
    let withMail = false;
    host.whenPresent('mail', () => {
      withMail = true;
      host.service(accountMail, { mailer }, (services) => new MailToAccounts(services.mailer));
    });
    if (!withMail) host.service(accountMail, {}, () => new MailToAccounts(undefined));
    host.service(
      accountCodes,
      { accounts, site },
      (services) =>
        new Codes({
          secret: services.site.secret('accounts.codes'),
          activeMinutes: settings.ACTIVE_CODE_LIVE_MINUTES,
          stampOf: (userId) => services.accounts.passwordStamp(userId),
        }),
    );
    host.service(
      emailConfirmation,
      { database, accounts, emails, accountMail, accountCodes, site },
      (services) => new EmailConfirmation(services),
    );
    host.routes({ accountMail, emails, emailConfirmation, site }, (services) =>
      services.accountMail.isEnabled ? activateEmailRoutes(services) : [],
    );
    const notices = { accounts, accountMail, site };
    host.on(credentialsChanged, 'within', 'tell-of-password', notices, async (change, services) => {
      if (change.passwordChanged) await tellOfPassword(change.userId, services);
    });
    host.on(primaryEmailChanged, 'within', 'tell-of-address', notices, tellOfAddress);
    host.on(emailClaimReleased, 'within', 'tell-of-claim', notices, async (released, services) => {
      host.log.warn('an address went to the account that proved it', released);
      await tellOfReleasedClaim(released, services);
    });
    host.service(
      publicKeys,
      { database, events },
      (kernel) => new PublicKeyService(kernel.database, kernel.events, keys.MINIMUM_RSA_BITS, host.log),
    );
    host.service(showKey, { accounts, site }, (services) => makeShowKey(services.accounts, services.site));
    host.service(relations, { database, events }, (kernel) => new Relations(kernel.database, kernel.events, sources));
    host.service(
      avatars,
      { database, storage },
      (kernel) =>
        new Avatars(kernel.database, () => kernel.storage.area('avatars'), pictures.AVATAR_MAX_FILE_SIZE, {
          width: pictures.AVATAR_MAX_WIDTH,
          height: pictures.AVATAR_MAX_HEIGHT,
        }),
    );

    host.contribute(backupSources, { key: 'avatars', blobs: namedBlobs });
    host.service(accountPictures, { avatars }, (services) => services.avatars);
    host.service(accountBlocks, { relations }, (services) => ({
      list: (...given) => services.relations.blocked(...given),
      block: (...given) => services.relations.block(...given),
      unblock: (...given) => services.relations.unblock(...given),
    }));

    host.contribute(resources, { accounts, memberships, site }, (services) => userResolvers(services)[0]!);
    host.contribute(resources, { accounts, memberships, site }, (services) => userResolvers(services)[1]!);
    host.contribute(resources, { accounts, memberships, site }, (services) => userResolvers(services)[2]!);

    host.service(settingsPage, { site }, (services) => makeSettingsPage(menu, services.site));
    host.routes({ settingsPage, site }, settingsSearchRoutes(menu));

    host.contribute(exploreTabs, { key: 'users', label: t.later('users.title'), href: '/explore/users', order: 20 });
    for (const item of ownMenu) host.contribute(settingsMenu, item);
    host.contribute(languageOf, { accounts }, (services) => ({
      key: 'accounts',
      settingsPath: '/user/settings/appearance',
      language: async (actor) =>
        actor.kind === 'user' ? (await services.accounts.byId(actor.id))?.language || undefined : undefined,
    }));
    host.contribute(themeOf, { accounts }, (services) => ({
      key: 'accounts',
      theme: async (actor) =>
        actor.kind === 'user' ? (await services.accounts.byId(actor.id))?.theme || undefined : undefined,
    }));

    host.island('crop', new URL('./pages/crop.js', import.meta.url));
    host.island('suggest', new URL('./pages/suggest.js', import.meta.url));
    host.island('crop-style', new URL('./pages/crop.css', import.meta.url));

    host.routes({ accounts, emails, emailConfirmation, avatars, features: accountFeatures }, userRoutes);
    host.routes({ accounts, avatars }, usersRoutes);
    host.routes({ accounts, memberships, relations }, relationRoutes);
    host.routes({ accounts, publicKeys, showKey, features: accountFeatures }, keyRoutes);

    host.routes({ accounts, memberships, relations, settingsPage, site }, blockedPageRoutes);
    host.routes(
      {
        accounts,
        features: accountFeatures,
        publicKeys,
        avatars,
        settingsPage,
        languages,
        site,
      },
      settingsPageRoutes,
    );
    const confirmations = host.point(ownerConfirmations);
    host.routes({ accounts, features: accountFeatures, emails, emailConfirmation, settingsPage, site }, (services) =>
      accountSettingsRoutes({ ...services, confirmations }),
    );
    host.routes(
      { accounts, publicKeys, relations, site },
      profilePageRoutes({
        tabs: host.point(profileTabs),
        details: host.point(profileDetails),
        introductions: host.point(profileIntroductions),
        pages: host.point(profilePages),
        explore: host.point(exploreTabs),
      }),
    );

    host.onStart({ publicKeys }, async (services) => {
      const { uses } = services.publicKeys as PublicKeyService;
      return () => uses.close();
    });
  },
});
