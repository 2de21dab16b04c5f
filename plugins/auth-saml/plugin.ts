import {
  database,
  definePlugin,
  defineService,
  EncryptedCookie,
  Encryption,
  fromPackage,
  site,
} from '@mortise/plugin-sdk';
import { accounts, loginSourceKinds, loginSources } from '@mortise/accounts/api';
import { groupTeams } from '@mortise/organizations/api';
import {
  registrations,
  sessions,
  signInFlow,
  signInLinks,
  signOutSteps,
  type SourceSession,
} from '@mortise/sessions/api';
import { sourceCommands } from './commands/sources.js';
import { signInPages, sourceLinks, type SignInRequest } from './pages/sign-in.js';
import { signOutPages, signOutStep } from './pages/sign-out.js';
import { requestLifetimeMs, SamlClient } from './services/client.js';
import { samlKind } from './services/kinds.js';
import { PendingSignIns } from './services/pending-sign-ins.js';
import { SamlProvisioner } from './services/provisioner.js';
import { UsedAssertions } from './services/used-assertions.js';

/** Shared inside this plugin only. */
const client = defineService<SamlClient>('auth-saml.client');
const signInRequests = defineService<EncryptedCookie<SignInRequest>>('auth-saml.signInRequests');
const signOutRequests = defineService<EncryptedCookie<SourceSession>>('auth-saml.signOutRequests');
const pendingSignIns = defineService<PendingSignIns>('auth-saml.pendingSignIns');
const provisioner = defineService<SamlProvisioner>('auth-saml.provisioner');
const usedAssertions = defineService<UsedAssertions>('auth-saml.usedAssertions');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [client, signInRequests, signOutRequests, pendingSignIns, provisioner, usedAssertions],

  register(host) {
    const { log } = host;
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(client, { site }, (services) => new SamlClient(services.site));
    host.service(
      signInRequests,
      { site },
      (services) =>
        new EncryptedCookie<SignInRequest>(
          'mortise_saml',
          new Encryption(services.site.secret('auth-saml.departures')),
          requestLifetimeMs,
        ),
    );
    host.service(
      signOutRequests,
      { site },
      (services) =>
        new EncryptedCookie<SourceSession>(
          'mortise_saml_out',
          new Encryption(services.site.secret('auth-saml.signOutRequests')),
          requestLifetimeMs,
        ),
    );
    host.service(pendingSignIns, { database }, (services) => new PendingSignIns(services.database));
    host.service(provisioner, { accounts, loginSources, registrations }, (services) => new SamlProvisioner(services));
    host.service(usedAssertions, { database }, (services) => new UsedAssertions(services.database));

    let hasTeams = false;
    host.whenPresent('organizations', () => (hasTeams = true));
    if (hasTeams) host.contribute(loginSourceKinds, { site, groupTeams }, samlKind);
    else host.contribute(loginSourceKinds, { site }, samlKind);
    sourceCommands(host);

    host.routes(
      { accounts, client, signInRequests, loginSources, pendingSignIns, provisioner, signInFlow, site, usedAssertions },
      (services) => signInPages({ ...services, log }),
    );
    const signingOut = { client, loginSources, signOutRequests, sessions, site };
    host.routes(signingOut, (services) => signOutPages({ ...services, log }));
    host.contribute(signOutSteps, signingOut, (services) => signOutStep({ ...services, log }));
    host.contribute(signInLinks, { loginSources, site }, (services) =>
      sourceLinks(services.loginSources, services.site),
    );
  },
});
