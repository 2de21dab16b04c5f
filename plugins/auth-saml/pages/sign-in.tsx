import {
  actOrigins,
  defineRoute,
  EncryptedCookie,
  icon,
  Joi,
  listHref,
  pageRoute,
  Problem,
  reply,
  type Logger,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
  type Slot,
  type Text,
} from '@mortise/plugin-sdk';
import type { Accounts, LoginSources } from '@mortise/accounts/api';
import type { SignInFlow } from '@mortise/sessions/api';
import { activeSources, anyoneAccess, sourceOf, startPath, type Source } from '../routes/active-sources.js';
import type { Assertion, SamlClient } from '../services/client.js';
import { maxResponse, ResponseRefused } from '../services/document.js';
import { identityOf, isInRequiredGroup } from '../services/identity.js';
import type { PendingSignIns } from '../services/pending-sign-ins.js';
import type { SamlProvisioner } from '../services/provisioner.js';
import type { UsedAssertions } from '../services/used-assertions.js';
import { t } from '../texts/index.js';
import { failedPage } from './failed.js';

const SourceLink = ({ source, href }: { source: string; href: string }) => (
  <a class="btn btn-block mt-3 wb-break-word" href={href}>
    {icon('sign-in', { class: 'mr-2' })}
    {t('signIn.with', { source })}
  </a>
);

/** A button for each provider on the sign-in page. */
export const sourceLinks = (loginSources: LoginSources, site: Site): Slot<{ readonly redirectTo: string }> => ({
  key: 'saml',
  order: 51,
  async render({ redirectTo }) {
    const sources = await activeSources(loginSources);
    if (sources.length === 0) return null;
    return (
      <div>
        {sources.map(({ id, name }) => (
          <SourceLink
            key={id}
            source={name}
            href={listHref(site.path(startPath(name)), { redirect_to: redirectTo || undefined })}
          />
        ))}
      </div>
    );
  },
});

/** What the browser keeps while the person is at the provider. */
export interface SignInRequest {
  readonly source: number;
  /** Id of the request that the provider has to answer. */
  readonly requestId: string;
  /** Where they want to go: a path of this site, or empty. */
  readonly to: string;
}

interface SignInDeps {
  readonly accounts: Accounts;
  readonly client: SamlClient;
  readonly signInRequests: EncryptedCookie<SignInRequest>;
  readonly log: Pick<Logger, 'info'>;
  readonly loginSources: LoginSources;
  readonly pendingSignIns: PendingSignIns;
  readonly provisioner: SamlProvisioner;
  readonly signInFlow: SignInFlow;
  readonly site: Site;
  readonly usedAssertions: UsedAssertions;
}

/** Sends the browser to the provider. */
const startPage = (deps: SignInDeps): Route =>
  pageRoute('/user/saml/{source}', anyoneAccess, async ({ actor, params, query }) => {
    const { client, signInRequests, signInFlow, site } = deps;
    const to = signInFlow.safeTarget(query.redirect_to);
    if (actor.kind === 'user') return reply.redirect(to || site.path('/'));
    const source = await sourceOf(deps.loginSources, params.source);
    const { id, url } = await client.request(source);
    const signInRequest = signInRequests.write({ source: source.id, requestId: id, to });
    return reply.redirect(url).cookie(signInRequests.name, signInRequest, signInRequests.options);
  });

const metadataRoute = (deps: SignInDeps): Route =>
  defineRoute({
    method: 'GET',
    path: '/user/saml/{source}/metadata',
    surface: 'protocol',
    access: anyoneAccess,
    responses: { 200: null },
    async handler({ params }) {
      const metadata = await deps.client.metadata(await sourceOf(deps.loginSources, params.source));
      return reply.text(metadata).type('application/samlmetadata+xml; charset=utf-8');
    },
  });

/** Is kept where either side can end it. */
const sessionIn = ({ settings }: Source, { session }: Assertion) => (settings.logoutUrl && session ? { session } : {});

const refused = ({ log, site }: SignInDeps, source: Source, reason: string) => {
  log.info('refused a response of a SAML provider', { event: 'saml.refused', source: source.name, reason });
  return failedPage(site, t.later('error.refused'), 403);
};

/**
 * The provider's answer: a POST of another site, to which browsers add no cookies. What it says is checked here; a redirect
 * to a page of this site then shows whether it is the browser that asked.
 */
const consumerRoute = (deps: SignInDeps): Route =>
  defineRoute({
    method: 'POST',
    path: '/user/saml/{source}/acs',
    surface: 'page',
    noCsrf: true,
    access: { ...anyoneAccess, ownCredentials: true },
    payload: { as: 'form', maxBytes: 2 * maxResponse },
    request: {
      payload: Joi.object<{ readonly SAMLResponse: string }>({
        SAMLResponse: Joi.string()
          .max(2 * maxResponse)
          .required(),
      }).unknown(),
    },
    async handler({ params, payload }) {
      const { client, log, pendingSignIns, site, usedAssertions } = deps;
      const source = await sourceOf(deps.loginSources, params.source);
      try {
        const assertion = await client.assertion(source, payload.SAMLResponse);
        const identity = identityOf(assertion.nameId, assertion.attributes, source.settings);
        if (!identity) return refused(deps, source, 'the assertion does not say who it is');
        if (source.settings.groupsAttribute && !identity.groups)
          log.info('kept rights and teams, since a SAML provider left out the groups of a user', {
            event: 'saml.noGroups',
            source: source.name,
            user: identity.loginName,
          });
        if (!(await usedAssertions.use(source, assertion)))
          return refused(deps, source, 'the assertion was used before');
        const code = await pendingSignIns.store(source, assertion.requestId, {
          ...identity,
          ...sessionIn(source, assertion),
        });
        return reply.redirect(listHref(site.path(`${startPath(source.name)}/callback`), { code }), 303);
      } catch (error) {
        if (error instanceof ResponseRefused) return refused(deps, source, error.message);
        throw error;
      }
    },
  });

/** Signs in the person whom the provider has named, where it was this browser that asked. */
const callbackPage = (deps: SignInDeps): Route =>
  pageRoute(
    '/user/saml/{source}/callback',
    anyoneAccess,
    async (context) => {
      const { signInRequests } = deps;
      const source = await sourceOf(deps.loginSources, context.params.source);
      const { actor, remoteAddress } = context;
      const origin = { actor, remoteAddress, surface: 'page', plugin: 'auth-saml' } as const;
      return actOrigins.run(origin, async () => {
        const answered = await signIn(deps, source, context as RouteContext, context.query.code);
        return 'cookie' in answered ? answered.cookie(signInRequests.name, null) : answered;
      });
    },
    { query: Joi.object<{ readonly code: string }>({ code: Joi.string().allow('').max(100).default('') }).unknown() },
  );

async function signIn(
  deps: SignInDeps,
  source: Source,
  context: RouteContext,
  code: string,
): Promise<Reply | ReturnType<typeof failedPage>> {
  const { accounts, signInRequests, pendingSignIns, provisioner, signInFlow, site } = deps;
  const failed = (text: Text, status: number) => failedPage(site, text, status);
  const signInRequest = signInRequests.read(context.cookies);
  const identity =
    signInRequest?.source === source.id ? await pendingSignIns.take(source, code, signInRequest.requestId) : undefined;
  if (!signInRequest || !identity) return failed(t.later('error.state'), 400);
  if (!isInRequiredGroup(identity, source.settings))
    return failed(t.later('error.group', { source: source.name }), 403);
  try {
    const { account, needsActivation } = await provisioner.provision(source, identity);
    if (needsActivation) return failed(t.later('error.waits'), 200);
    const refusal = accounts.refusal({ ...account, mustChangePassword: false });
    if (refusal) return failed(refusal, 403);
    return await signInFlow.begin(context, {
      account,
      remember: false,
      redirectTo: signInRequest.to,
      by: 'saml',
      sourceId: source.id,
      ...(identity.session && { sourceSession: { ...identity.session, sourceId: source.id } }),
      passed: source.skipsSecondFactor ? ['second-factor'] : [],
    });
  } catch (error) {
    if (!Problem.is(error)) throw error;
    return failed(error.text, error.status);
  }
}

/** `/user/saml/{source}` and what is below it. */
export const signInPages = (deps: SignInDeps): readonly Route[] => [
  startPage(deps),
  metadataRoute(deps),
  consumerRoute(deps),
  callbackPage(deps),
];
