import {
  EncryptedCookie,
  FormFrame,
  NotFound,
  pageRoute,
  reply,
  webPage,
  type Logger,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { LoginSources } from '@mortise/accounts/api';
import type { Sessions, SourceSession } from '@mortise/sessions/api';
import { activeSources, anyoneAccess, sourceOf, startPath } from '../routes/active-sources.js';
import type { SamlClient } from '../services/client.js';
import { ResponseRefused } from '../services/document.js';
import { t } from '../texts/index.js';
import { failedPage } from './failed.js';

interface SignOutDeps {
  readonly client: SamlClient;
  readonly loginSources: LoginSources;
  /** The session at the provider of somebody who has just signed out here. */
  readonly signOutRequests: EncryptedCookie<SourceSession>;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly log: Pick<Logger, 'info'>;
}

/** Leads who signs out here to a page that leads to the provider: forms may not redirect to other sites. */
export const signOutStep = ({ loginSources, signOutRequests, site }: SignOutDeps) => ({
  key: 'saml',
  async next({ sourceSession }: { readonly sourceSession?: SourceSession }) {
    if (!sourceSession) return undefined;
    const source = (await activeSources(loginSources)).find(({ id }) => id === sourceSession.sourceId);
    if (!source?.settings.logoutUrl) return undefined;
    return reply
      .redirect(site.path(`${startPath(source.name)}/sign-out`), 303)
      .cookie(signOutRequests.name, signOutRequests.write(sourceSession), signOutRequests.options);
  },
});

const ContinuePage = ({ source, href }: { readonly source: string; readonly href: string }): VNode => (
  <FormFrame title={t('signOut.title')}>
    <p>{t('signOut.here')}</p>
    <a class="btn btn-block wb-break-word" href={href}>
      {t('signOut.there', { source })}
    </a>
  </FormFrame>
);

/** Goes on to the provider by itself, and by a button where the browser does not. */
const continuePage = ({ client, loginSources, signOutRequests, site }: SignOutDeps): Route =>
  pageRoute('/user/saml/{source}/sign-out', anyoneAccess, async ({ cookies, params }) => {
    const source = await sourceOf(loginSources, params.source);
    const session = signOutRequests.read(cookies);
    if (session?.sourceId !== source.id || !source.settings.logoutUrl) return reply.redirect(site.path('/'));
    const url = await client.logoutUrl(source, session);
    return webPage({
      title: t.later('signOut.title'),
      width: 'narrow',
      headers: { 'cache-control': 'no-store', refresh: `0;url=${url}` },
      body: <ContinuePage source={source.name} href={url} />,
    });
  });

/** Requests of the provider to end sessions, and its answers to those of this site, both by redirect (SAML profiles, 4.4). */
const logoutPage = ({ client, log, loginSources, sessions, signOutRequests, site }: SignOutDeps): Route =>
  pageRoute('/user/saml/{source}/logout', anyoneAccess, async ({ params, query, raw }) => {
    const source = await sourceOf(loginSources, params.source);
    if (!source.settings.logoutUrl) throw NotFound('page');
    // the session has ended here before the provider was asked
    if (query.SAMLRequest === undefined) return reply.redirect(site.path('/')).cookie(signOutRequests.name, null);
    try {
      const request = await client.logoutRequest(source, raw.request.url.search.slice(1));
      await sessions.endOfSource(source.id, request.subject, request.indexes);
      return reply.redirect(await request.answerUrl());
    } catch (error) {
      if (!(error instanceof ResponseRefused)) throw error;
      log.info('refused a request of a SAML provider to sign somebody out', {
        event: 'saml.logoutRefused',
        source: source.name,
        reason: error.message,
      });
      return failedPage(site, t.later('error.logout'), 403);
    }
  });

/** Single logout, below `/user/saml/{source}`. */
export const signOutPages = (deps: SignOutDeps): readonly Route[] => [continuePage(deps), logoutPage(deps)];
