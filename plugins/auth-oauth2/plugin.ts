import {
  database,
  definePlugin,
  fromPackage,
  defineService,
  events,
  jobs,
  outbound,
  site,
  takeoverMappings,
  EncryptedCookie,
  Encryption,
} from '@mortise/plugin-sdk';
import {
  accountCodes,
  accountFeatures,
  accountMail,
  accountPictures,
  accounts,
  emails,
  loginSourceKinds,
  loginSources,
  publicKeys,
  settingsMenu,
  settingsPage,
} from '@mortise/accounts/api';
import { adminUserSections } from '@mortise/admin/api';
import { groupTeams } from '@mortise/organizations/api';
import {
  formCaptcha,
  ownerConfirmation,
  registrations,
  signInActions,
  signInFlow,
  signInLinks,
} from '@mortise/sessions/api';
import { sourceCommands } from './commands/sources.js';
import { sourceLinks } from './pages/sign-in.js';
import { activatePages } from './pages/activate.js';
import { adminRoutes, adminSection } from './pages/admin.js';
import { linkAccountPages, linkingAction } from './pages/link-account.js';
import { linkSettingsPages } from './pages/settings.js';
import { signInPages, type SignInRequest } from './pages/sign-in.js';
import { OAuth2Activation } from './services/activation.js';
import { OAuth2Provisioner } from './services/provisioner.js';
import { PendingSignIns } from './services/pending-sign-ins.js';
import { AvatarUpdates, fetchAvatar, updateAvatar } from './services/avatars.js';
import { ProviderClient } from './services/client.js';
import { oauth2Kind } from './services/kinds.js';
import { Links } from './services/links.js';
import { clientSettings } from './settings.js';
import { t } from './texts/index.js';

const client = defineService<ProviderClient>('auth-oauth2.client');
const links = defineService<Links>('auth-oauth2.links');
const pendingSignIns = defineService<PendingSignIns>('auth-oauth2.pendingSignIns');
const avatars = defineService<AvatarUpdates>('auth-oauth2.avatars');
const provisioner = defineService<OAuth2Provisioner>('auth-oauth2.provisioner');
const activation = defineService<OAuth2Activation>('auth-oauth2.activation');
const signInRequests = defineService<EncryptedCookie<SignInRequest>>('auth-oauth2.signInRequests');

const signInRequestMaxAgeMs = 10 * 60_000;

/** What signing in and linking an account to a provider need. */
const signInReferences = {
  accounts,
  activation,
  provisioner,
  pendingSignIns,
  client,
  signInRequests,
  links,
  loginSources,
  registrations,
  signInFlow,
  site,
} as const;

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [client, links, pendingSignIns, avatars, provisioner, activation, signInRequests, updateAvatar],

  register(host) {
    const settings = host.settings('oauth2_client', clientSettings);
    const { log } = host;
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'auth-oauth2',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });

    host.service(
      client,
      { outbound },
      (services) => new ProviderClient(services.outbound, settings.OPENID_CONNECT_SCOPES),
    );
    host.service(
      links,
      { database, events, accounts, accountMail, loginSources, site },
      (services) => new Links(services),
    );
    host.service(
      pendingSignIns,
      { database, loginSources },
      (services) => new PendingSignIns(services.database, services.loginSources),
    );
    host.service(avatars, { jobs }, (services) => new AvatarUpdates(services.jobs, settings.UPDATE_AVATAR));
    host.job(updateAvatar, { attempts: 1 }, { outbound, pictures: accountPictures }, (payload, services) =>
      fetchAvatar(payload, { ...services, log }),
    );
    host.service(
      provisioner,
      { accounts, avatars, emails, links, loginSources, registrations },
      (services) => new OAuth2Provisioner(services, settings),
    );
    host.service(
      activation,
      { database, accounts, emails, accountMail, accountCodes, registrations, site },
      (services) =>
        new OAuth2Activation(services, settings.REGISTER_EMAIL_CONFIRM ?? services.registrations.confirmsEmail),
    );
    host.service(
      signInRequests,
      { site },
      (services) =>
        new EncryptedCookie<SignInRequest>(
          'mortise_oauth2',
          new Encryption(services.site.secret('auth-oauth2.departures')),
          signInRequestMaxAgeMs,
        ),
    );

    let hasTeams = false;
    host.whenPresent('organizations', () => (hasTeams = true));
    const kind = { client, database, publicKeys, site } as const;
    if (hasTeams) host.contribute(loginSourceKinds, { ...kind, groupTeams }, oauth2Kind);
    else host.contribute(loginSourceKinds, kind, oauth2Kind);
    sourceCommands(host);

    host.routes(signInReferences, (services) => signInPages(settings)({ ...services, log }));
    host.routes({ ...signInReferences, formCaptcha }, (services) => linkAccountPages({ ...services, log }));
    host.routes({ activation, site }, activatePages);
    host.contribute(signInActions, { provisioner, pendingSignIns, links }, linkingAction);
    host.contribute(signInLinks, { loginSources, site }, (services) =>
      sourceLinks(services.loginSources, services.site),
    );

    host.whenPresent('admin', () => {
      host.contribute(adminUserSections, { links, loginSources, site }, adminSection);
      host.routes({ accounts, links, site }, adminRoutes);
    });
    host.contribute(settingsMenu, {
      key: 'linked-accounts',
      label: t.later('links.title'),
      href: '/user/settings/linked_accounts',
      icon: 'link',
      order: 57,
      settings: [{ label: t.later('links.heading') }],
    });
    host.routes(
      {
        accounts,
        accountFeatures,
        client,
        signInRequests,
        links,
        loginSources,
        ownerConfirmation,
        settingsPage,
        site,
      },
      linkSettingsPages,
    );
  },
});
