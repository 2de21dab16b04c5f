import { randomUUID } from 'node:crypto';
import {
  type PluginHost,
  backupSources,
  broker,
  cache,
  database,
  defineService,
  events,
  languageOf,
  languages,
  menuEntries,
  paletteItemsOf,
  paletteSources,
  site,
  storage,
  resources,
  Encryption,
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
  ownerConfirmations,
  ownerQuota,
  storageLimits,
  primaryEmailChanged,
  emailClaimReleased,
  emails,
  guessLimits,
  type ExploreRules,
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
  publicKeys,
  reservedNames,
  settingsMenu,
  settingsPage,
  showKey,
  type Account,
  type LoginSource,
  type Membership,
  dashboardSteps,
} from './api.js';
import { mailer, mailSenders } from '@mortise/mail/api';
import { activateEmailRoutes } from './pages/confirm-email.js';
import { profilePageRoutes } from './pages/profile.js';
import { userSearchPage } from './pages/users.js';
import { blockedPageRoutes } from './pages/blocked.js';
import { accountSettingsRoutes } from './pages/account-settings.js';
import { settingsPageRoutes } from './pages/settings-routes.js';
import { settingsSearchRoute } from './contract/settings-search.js';
import { makeSettingsPage, settingsSearchPath } from './pages/settings-layout.js';
import { MailToAccounts } from './services/account-mail.js';
import { AccountService } from './services/accounts.js';
import { Provisioner } from './services/provisioner.js';
import { Avatars, namedBlobs } from './services/avatars.js';
import { Codes } from './services/codes.js';
import { EmailConfirmation } from './services/confirmation.js';
import { EmailService } from './services/emails.js';
import { FeatureService } from './services/features.js';
import { OwnerQuotaService } from './services/owner-quota-service.js';
import { LoginSourceReader, LoginSourceService } from './services/login-sources.js';
import { notifyAddressChange, notifyReleasedClaim, notifyPasswordChange } from './services/notices.js';
import { Passwords } from './services/passwords.js';
import { RecentChecks } from './services/recent-checks.js';
import { MembershipService } from './services/memberships.js';
import { AccountPresenter } from './services/account-presenter.js';
import { PublicKeyService } from './services/public-keys.js';
import { Relations } from './services/relations.js';
import { makeShowKey } from './services/api-public-key.js';
import { SignInGuard } from './services/sign-in-guard.js';
import { userResolvers } from './services/resources.js';
import { ownMenu } from './services/settings-menu.js';
import { t } from './texts/index.js';
import {
  featureSettings,
  keySettings,
  askedKinds,
  hashCosts,
  passwordSettings,
  pictureSettings,
  profilePageSettings,
  profileServiceSettings,
  explorePageSettings,
  exploreSettings,
  themeSettings,
  type ExploreSettings,
  serviceSettings,
  signInSettings,
} from './settings.js';

export const avatars = defineService<Avatars>('accounts.avatars');
export const signInGuard = defineService<SignInGuard>('accounts.signInGuard');
export const loginSourceReader = defineService<LoginSourceReader>('accounts.loginSourceReader');
export const emailConfirmation = defineService<EmailConfirmation>('accounts.emailConfirmation');
export const relations = defineService<Relations>('accounts.relations');

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('service', serviceSettings);
  const explore = host.settings<ExploreSettings>('service.explore', exploreSettings);
  const themes = host.settings('ui', themeSettings).THEMES;
  const sources = host.point(membershipSources);
  return { settings, explore, themes, sources };
}

type Opened = ReturnType<typeof openSettings>;

export function registerAccounts(host: PluginHost, { settings, sources }: Opened): void {
  const passwords = host.settings('security', passwordSettings);
  const guarding = host.settings('security', signInSettings);
  const features = host.settings('admin', featureSettings);
  const reserved = host.point(reservedNames);
  const filters = host.point(accountFilters);
  const kinds = host.point(loginSourceKinds);
  host.service(
    loginSourceReader,
    { cache, database, site },
    (kernel) =>
      new LoginSourceReader(
        kernel.database,
        kinds,
        kernel.cache.query<readonly LoginSource[]>('accounts.loginSources'),
        new Encryption(kernel.site.secret('accounts.loginSources')),
      ),
  );
  host.service(
    loginSources,
    { accounts, database, events, loginSourceReader },
    (services) =>
      new LoginSourceService(
        services.database,
        services.loginSourceReader,
        new Provisioner(services.database, services.accounts, kinds, host.log),
        services.events,
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
      rows: kernel.cache.query<Account | undefined>('accounts.rows'),
      searches: kernel.cache.query('accounts.searches'),
      signInCache: kernel.cache.query('accounts.signIn'),
      hashesInUse: kernel.cache.memory('accounts.hashesInUse', { ttl: 600_000 }),
      passwords: new Passwords(
        kernel.site.secret('accounts.passwords'),
        remembered('accounts.passwords'),
        passwords.MIN_PASSWORD_LENGTH,
        askedKinds(passwords.PASSWORD_COMPLEXITY),
        hashCosts(passwords.PASSWORD_HASH_ALGO),
      ),
      recent: new RecentChecks(kernel.site.secret('accounts.recentChecks'), remembered('accounts.recentChecks')),
      guard: kernel.signInGuard,
      present: new AccountPresenter(kernel.site, settings.NO_REPLY_ADDRESS),
      reserved,
      sources,
      filters,
      settings,
      loginSources: kernel.loginSourceReader,
      log: host.log,
    });
  });
  host.service(
    accountFeatures,
    { accounts, loginSourceReader },
    (services) => new FeatureService(services.accounts, services.loginSourceReader, features),
  );
  host.service(
    memberships,
    { cache },
    (kernel) =>
      new MembershipService(sources, kernel.cache.query<ReadonlyMap<number, Membership>>('accounts.memberships')),
  );
  host.service(emails, { database, events }, (kernel) => new EmailService(kernel.database, kernel.events));
}

export function registerMail(host: PluginHost, { settings }: Opened): void {
  let withMail = false;
  host.whenPresent('mail', () => {
    withMail = true;
    host.service(accountMail, { mailer }, (services) => new MailToAccounts(services.mailer));
    host.contribute(mailSenders, { accounts }, (services) => ({
      find: async (userId) => {
        const account = await services.accounts.byId(userId);
        if (account?.kind !== 'user' || !account.email || services.accounts.refusal(account)) return undefined;
        return { address: account.email, name: account.fullName || account.name, language: account.language };
      },
    }));
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
  const notices = { accounts, accountMail, site };
  host.on(credentialsChanged, 'within', 'tell-of-password', notices, async (change, services) => {
    if (change.passwordChanged) await notifyPasswordChange(change.userId, services);
  });
  host.on(primaryEmailChanged, 'within', 'tell-of-address', notices, notifyAddressChange);
  host.on(emailClaimReleased, 'within', 'tell-of-claim', notices, async (released, services) => {
    host.log.warn('an unconfirmed email address went to the account that confirmed it', {
      event: 'email.released',
      ...released,
    });
    await notifyReleasedClaim(released, services);
  });
}

export function registerProfiles(host: PluginHost, { sources }: Opened): void {
  const pictures = host.settings('picture', pictureSettings);
  const keys = host.settings('ssh.minimum_key_sizes', keySettings);
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
  const limits = host.point(storageLimits);
  host.service(ownerQuota, {}, () => new OwnerQuotaService(limits));
  host.service(accountPictures, { avatars }, (services) => services.avatars);
  host.service(accountBlocks, { relations }, (services) => ({
    list: (...given) => services.relations.blocked(...given),
    block: (...given) => services.relations.block(...given),
    unblock: (...given) => services.relations.unblock(...given),
  }));
  host.contribute(resources, { accounts, memberships, site }, (services) => userResolvers(services)[0]!);
  host.contribute(resources, { accounts, memberships, site }, (services) => userResolvers(services)[1]!);
  host.contribute(resources, { accounts, memberships, site }, (services) => userResolvers(services)[2]!);
}

export function registerPages(host: PluginHost, { explore, themes }: Opened): void {
  host.contribute(dashboardSteps, { accounts }, (services) => ({
    key: 'profile',
    list: 'user' as const,
    order: 10,
    label: t.later('step.profile'),
    path: '/user/settings',
    async isDone({ id }) {
      const account = await services.accounts.byId(id);
      return Boolean(account?.fullName || account?.description || account?.avatar);
    },
  }));
  host.whenPresent('git-ssh', () =>
    host.contribute(dashboardSteps, { publicKeys }, (services) => ({
      key: 'ssh-key',
      list: 'user' as const,
      order: 20,
      label: t.later('step.key'),
      path: '/user/settings/keys',
      isDone: async ({ id: userId }) => (await services.publicKeys.list({ userId, limit: 1, offset: 0 })).total > 0,
    })),
  );
  const menu = host.point(settingsMenu);
  host.routes({ accountMail, emails, emailConfirmation, site }, (services) =>
    services.accountMail.isEnabled ? activateEmailRoutes(services) : [],
  );
  host.service(settingsPage, { site }, (services) => makeSettingsPage(menu, services.site));
  host.routes({ page: settingsPage, site }, (services) => [
    settingsSearchRoute({
      ...services,
      path: settingsSearchPath,
      actor: 'user',
      title: t.later('settings.search'),
      menu,
    }),
  ]);
  const { EXPLORE_PAGING_NUM: perPage } = host.settings('ui', explorePageSettings);
  host.service(exploreRules, {}, (): ExploreRules => ({
    actor: explore.REQUIRE_SIGNIN_VIEW ? 'user' : 'anyone',
    perPage,
  }));
  const usersTab = { key: 'users', label: t.later('users.title'), href: '/explore/users', order: 20 } as const;
  if (!explore.DISABLE_USERS_PAGE) host.contribute(exploreTabs, usersTab);
  for (const item of ownMenu) host.contribute(settingsMenu, item);
  host.contribute(paletteSources, { site }, (services) => ({
    key: 'user-settings',
    label: t.later('palette.settings'),
    order: 60,
    isMenu: true,
    find: ({ actor }) =>
      Promise.resolve(actor.kind === 'user' ? paletteItemsOf(menuEntries(menu, actor, services.site)) : []),
  }));
  host.contribute(languageOf, { accounts }, (services) => ({
    key: 'accounts',
    settingsPath: '/user/settings/appearance',
    language: async (actor) =>
      actor.kind === 'user' ? (await services.accounts.byId(actor.id))?.language || undefined : undefined,
  }));
  host.contribute(themeOf, { accounts }, (services) => ({
    key: 'accounts',
    async theme(actor) {
      const account = actor.kind === 'user' ? await services.accounts.byId(actor.id) : undefined;
      return themes.find((theme) => theme === account?.theme);
    },
  }));
  host.island('crop', new URL('./pages/crop.js', import.meta.url));
  host.island('suggest', new URL('./pages/suggest.js', import.meta.url));
  host.island('crop-style', new URL('./pages/crop.css', import.meta.url));
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
    (services) => settingsPageRoutes({ ...services, themes }),
  );
  const confirmations = host.point(ownerConfirmations);
  host.routes({ accounts, features: accountFeatures, emails, emailConfirmation, settingsPage, site }, (services) =>
    accountSettingsRoutes({ ...services, confirmations }),
  );
  registerProfilePages(host);
  if (!explore.DISABLE_USERS_PAGE)
    host.routes({ accounts, site, rules: exploreRules }, userSearchPage(host.point(exploreTabs)));
}

function registerProfilePages(host: PluginHost): void {
  host.routes(
    { accounts, publicKeys, relations, site },
    profilePageRoutes(
      {
        tabs: host.point(profileTabs),
        details: host.point(profileDetails),
        introductions: host.point(profileIntroductions),
        pages: host.point(profilePages),
      },
      {
        showsEmails: host.settings('ui', profilePageSettings).SHOW_USER_EMAIL,
        mapUrl: host.settings('service', profileServiceSettings).USER_LOCATION_MAP_URL,
      },
    ),
  );
}
