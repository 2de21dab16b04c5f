import {
  addedTokenCategories,
  apiScopes,
  authMethods,
  cache,
  database,
  definePlugin,
  fromPackage,
  defineService,
  events,
  responseHeaders,
  site,
  scheduleTask,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accountMail, accounts, settingsMenu, settingsPage } from '@mortise/accounts/api';
import { accessTokens, notifyOfExpiry } from './contract/auth-token.js';
import { tokenUsage, tokenScopes } from './api.js';
import { applicationPages } from './pages/applications.js';
import { tokenCommands } from './commands/tokens.js';
import { tokenRoutes } from './routes/tokens.js';
import {
  cachedActors,
  knownTokenMethod,
  queryWarning,
  sudoMethod,
  tokenMethod,
  type TokenActor,
  type TokenActors,
} from './services/methods.js';
import { sendExpiryNotices } from './services/expiry.js';
import { createTokenUsage } from './services/token-usage.js';
import { ScopeSyntax } from './services/scopes.js';
import { TokenService, type FoundToken } from './services/tokens.js';
import { tokenSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of the contract. */
const tokenActors = defineService<TokenActors>('auth-token.actors');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [accessTokens, tokenUsage, tokenScopes, notifyOfExpiry],

  register(host) {
    const settings = host.settings('security', tokenSettings);
    const methods = host.point(authMethods);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'auth-token',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    const added = host.point(addedTokenCategories);
    host.service(tokenScopes, {}, () => new ScopeSyntax(added));
    host.service(tokenUsage, {}, () => createTokenUsage(!settings.DISABLE_QUERY_AUTH_TOKEN));
    host.service(
      accessTokens,
      { accounts, cache, database, events, tokenScopes },
      (services) =>
        new TokenService(
          services.database,
          services.accounts,
          services.tokenScopes,
          services.cache.query<FoundToken | undefined>('auth-token.tokens'),
          services.events,
          host.log,
        ),
    );
    host.service(tokenActors, { accessTokens, accounts, cache }, (services) =>
      cachedActors(
        services.accessTokens as TokenService,
        services.accounts,
        services.cache.query<TokenActor | undefined>('auth-token.actors'),
      ),
    );
    const signIn = { tokenActors, tokenUsage };
    host.contribute(authMethods, signIn, (services) => knownTokenMethod(services.tokenActors, services.tokenUsage));
    host.contribute(authMethods, signIn, (services) => tokenMethod(services.tokenActors, services.tokenUsage));
    host.contribute(authMethods, { accounts }, (services) => sudoMethod(methods, services.accounts));
    host.contribute(responseHeaders, { key: 'query-token', headers: queryWarning });
    host.contribute(settingsMenu, {
      key: 'applications',
      label: t.later('applications.title'),
      href: '/user/settings/applications',
      icon: 'apps',
      order: 50,
      settings: [{ label: t.later('tokens.title') }, { label: t.later('new.title'), field: 'field-name' }],
    });
    host.routes({ accessTokens, accounts }, tokenRoutes);
    host.routes({ accessTokens, apiScopes, settingsPage, site, tokenScopes }, applicationPages);

    host.job(
      notifyOfExpiry,
      { concurrency: 1 },
      { accounts, accountMail, database, site },
      (_payload, services, { signal }) => sendExpiryNotices(services, signal),
    );
    scheduleTask(
      host,
      {
        id: 'expiry',
        title: t.later('schedule.expiry'),
        taskName: 'notify_token_expiry',
        schedule: '@every 1h',
        does: 'Tells people by mail of access tokens that end within a week',
      },
      notifyOfExpiry,
      {},
    );

    tokenCommands(host);

    host.onStart({ accessTokens }, async (services) => {
      const { uses } = services.accessTokens as TokenService;
      return () => uses.close();
    });
  },
});
