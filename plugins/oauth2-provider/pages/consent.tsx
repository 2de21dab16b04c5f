import {
  bold,
  Csrf,
  FormFrame,
  icon,
  Joi,
  pageRoute,
  postRoute,
  reply,
  textOf,
  webPage,
  type Actor,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { OfferedCategory, TokenScopes } from '@mortise/auth-token/api';
import type { OAuth2Application } from '../api.js';
import {
  AuthorizationError,
  readAuthorization,
  withAnswer,
  type AuthorizationFields,
  type AuthorizationRequest,
} from '../services/authorization.js';
import { identityWords } from '../services/scope.js';
import { t } from '../texts/index.js';
import type { Accounts } from '@mortise/accounts/api';
import type { Sessions } from '@mortise/sessions/api';
import type { ApplicationService } from '../services/applications.js';
import type { FreshSignIns } from '../services/fresh-sign-ins.js';
import type { Grants } from '../services/grants.js';

interface ScopeProps {
  readonly scope: readonly string[];
  readonly categories: readonly OfferedCategory[];
}

const levels = { read: 'level.read', write: 'level.write', delete: 'level.delete' } as const;

/** One line for each thing that a scope allows. */
function* linesOf({ scope, categories }: ScopeProps): Iterable<string> {
  if (scope.includes('all')) yield t('scope.all');
  for (const word of identityWords) if (scope.includes(word)) yield t(`scope.${word}`);
  for (const { key, label } of categories)
    for (const [level, text] of Object.entries(levels))
      if (scope.includes(`${level}:${key}`))
        yield t('scope.category', { category: () => textOf(label), level: () => t(text) });
  if (scope.includes('public-only')) yield t('scope.publicOnly');
}

/** What an application may do, in words. */
export const ScopeList = (props: ScopeProps): VNode => (
  <ul class="list-style-none">
    {[...linesOf(props)].map((line) => (
      <li class="py-1 d-flex" key={line}>
        <span class="mr-2 color-fg-muted">{icon('check')}</span>
        <span>{line}</span>
      </li>
    ))}
  </ul>
);

interface ConsentProps extends ScopeProps {
  readonly application: OAuth2Application;
  /** Name of the account that the application belongs to. */
  readonly owner: string | undefined;
  readonly redirectUri: string;
  readonly userName: string;
  readonly fields: AuthorizationFields;
  readonly path: (path: string) => string;
}

/** Asks whether an application may act for the person. */
function ConsentPage(props: ConsentProps): VNode {
  const { application, owner, redirectUri, userName, fields, path } = props;
  return (
    <div class="mx-auto py-5 px-3 narrow-form">
      <h1 class="h3 text-center text-normal mb-3">{t.rich('consent.heading', { name: application.name, b: bold })}</h1>
      <div class="Box">
        <div class="Box-body">
          <p>{t.rich('consent.asks', { name: application.name, person: userName, b: bold })}</p>
          <ScopeList {...props} />
        </div>
        <div class="Box-row color-fg-muted f6">
          <p class="mb-1">
            {owner === undefined
              ? t('consent.ofSite')
              : t.rich('consent.madeBy', { link: () => <a href={path(`/${owner}`)}>{owner}</a> })}
          </p>
          <p class="mb-0 overflow-wrap-anywhere">
            {t.rich('consent.leadsTo', { address: () => <code>{redirectUri}</code> })}
          </p>
        </div>
        <form class="Box-footer d-flex flex-justify-end gap-2" method="post" action={path('/login/oauth/grant')}>
          <Csrf />
          {Object.entries(fields).map(([name, value]) =>
            value ? <input type="hidden" name={name} value={value} key={name} /> : null,
          )}
          <button class="btn" type="submit" name="granted" value="false">
            {t('consent.deny')}
          </button>
          <button class="btn btn-primary" type="submit" name="granted" value="true">
            {t('consent.authorize')}
          </button>
        </form>
      </div>
    </div>
  );
}

/** For browsers that do not go on by themselves. */
const LeadOnPage = ({ name, address }: { readonly name: string; readonly address: string }): VNode => (
  <div class="mx-auto py-5 px-3 narrow-form text-center">
    <h1 class="h3 text-normal mb-3">{t('leadOn.title')}</h1>
    <p>
      <a href={address}>{t('leadOn.link', { name })}</a>
    </p>
  </div>
);

/** A request that its application must mend; the link tells it so. */
const InvalidPage = (props: { readonly name: string; readonly reason: string; readonly address: string }): VNode => (
  <FormFrame title={t('invalid.title')}>
    <p class="wb-break-word">{t.rich('invalid.text', { name: props.name, reason: props.reason, b: bold })}</p>
    <p class="color-fg-muted f6 overflow-wrap-anywhere">
      {t.rich('consent.leadsTo', { address: () => <code>{new URL(props.address).origin}</code> })}
    </p>
    <a class="btn btn-block" href={props.address} rel="noreferrer">
      {t('invalid.back', { name: props.name })}
    </a>
  </FormFrame>
);

interface AuthorizeDeps {
  readonly accounts: Accounts;
  readonly applications: ApplicationService;
  readonly freshSignIns: FreshSignIns;
  readonly grants: Grants;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly tokenScopes: TokenScopes;
  /** Value of `iss` in answers (RFC 9207). */
  readonly issuer: () => string;
}

const field = (max = 2000) => Joi.string().allow('').max(max).default('');
const fields = {
  client_id: field(200),
  redirect_uri: field(),
  response_type: field(50),
  response_mode: field(50),
  state: field(4000),
  scope: field(1000),
  nonce: field(),
  prompt: field(200),
  max_age: field(20),
  code_challenge: field(200),
  code_challenge_method: field(50),
  asked: field(200),
};
const query = Joi.object<AuthorizationFields>(fields).unknown();
type Answer = Reply | ReturnType<typeof webPage>;
type ConsentFields = AuthorizationFields & { readonly granted: boolean };

/** Where the sources of a form that leads to an application lie. */
function targetOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol;
}

const refusalOf = ({ code, description }: AuthorizationError) => ({ error: code, error_description: description });

/** What these routes share. */
function authorizeContext(deps: AuthorizeDeps) {
  const { accounts, applications, freshSignIns, grants, sessions, site, tokenScopes, issuer } = deps;
  const path = (to: string) => site.path(to);
  const sendBack = ({ redirectUri, state }: { redirectUri: string; state: string }, answer: Record<string, string>) =>
    reply.redirect(withAnswer(redirectUri, { ...answer, state, iss: issuer() })).header('cache-control', 'no-store');
  /**
   * What is wrong with a request is told to its application, but nobody is sent there by it: anybody may register one, and
   * links to here would lead to wherever they like (RFC 9700 4.11.2). People go on by themselves.
   */
  const invalid = (error: AuthorizationError) => {
    const { request } = error;
    const { name } = request.application;
    const address = withAnswer(request.redirectUri, { ...refusalOf(error), state: request.state, iss: issuer() });
    return webPage({
      title: t.later('invalid.title'),
      width: 'narrow',
      status: 400,
      headers: { 'cache-control': 'no-store', 'x-frame-options': 'DENY' },
      body: <InvalidPage name={name} reason={error.description} address={address} />,
    });
  };
  const reading = async (
    given: AuthorizationFields,
    refuse: (error: AuthorizationError) => Answer,
    go: (request: AuthorizationRequest) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await go(await readAuthorization(given, applications, tokenScopes));
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error;
      return refuse(error);
    }
  };
  /** When the browser signed in, in milliseconds since 1970 UTC. */
  const signedInAt = async ({ id, credentialId }: Actor) =>
    (await sessions.list(id)).find((session) => session.id === credentialId)?.createdAt ?? Date.now();
  const codeFor = async (request: AuthorizationRequest, actor: Actor) =>
    grants.issueCode({ ...request, userId: actor.id, signedInAt: await signedInAt(actor) });
  /**
   * A page that leads on by itself: browsers that came here from the form of the sign-in page would not follow a redirect
   * to another site (form-action, CSP 3).
   */
  const leadOn = (request: AuthorizationRequest, code: string) => {
    const address = withAnswer(request.redirectUri, { code, state: request.state, iss: issuer() });
    return webPage({
      title: t.later('consent.title', { name: request.application.name }),
      width: 'narrow',
      headers: { refresh: `0; url=${address}`, 'cache-control': 'no-store' },
      body: <LeadOnPage name={request.application.name} address={address} />,
    });
  };
  /** Does the application want a fresh sign-in (OpenID Connect Core 3.1.2.1: `max_age`, and `prompt=login`)? */
  const isTooOld = async ({ maxAgeMs }: AuthorizationRequest, actor: Actor, asked: string) => {
    if (maxAgeMs === undefined) return false;
    const at = await signedInAt(actor);
    const askedAt = freshSignIns.read(asked);
    return askedAt === undefined ? Date.now() - at > maxAgeMs : at < askedAt;
  };
  /** Leads to the sign-in page, and from there back to this request. */
  const toSignIn = (context: RouteContext, isAgain: boolean) => {
    const { searchParams } = new URL(context.raw.request.url);
    searchParams.delete('asked');
    if (isAgain) searchParams.set('asked', freshSignIns.issue());
    const here = path(`/login/oauth/authorize?${searchParams.toString()}`);
    const again = isAgain ? '&again=true' : '';
    return reply.redirect(path(`/user/login?redirect_to=${encodeURIComponent(here)}${again}`));
  };
  const ask = async (context: RouteContext, request: AuthorizationRequest, given: AuthorizationFields) => {
    const { application, redirectUri, scope } = request;
    const owner = application.ownerId ? await accounts.byId(application.ownerId) : undefined;
    return webPage({
      title: t.later('consent.title', { name: application.name }),
      width: 'narrow',
      headers: { 'cache-control': 'no-store', 'x-frame-options': 'DENY' },
      formTargets: [targetOf(redirectUri)],
      body: (
        <ConsentPage
          application={application}
          owner={owner?.name}
          redirectUri={redirectUri}
          scope={scope}
          categories={tokenScopes.categories}
          userName={context.actor.name}
          fields={given}
          path={path}
        />
      ),
    });
  };
  return { reading, invalid, sendBack, toSignIn, isTooOld, grants, codeFor, leadOn, ask };
}

type AuthorizeRouteContext = ReturnType<typeof authorizeContext>;

const authorizePage = ({
  reading,
  invalid,
  sendBack,
  toSignIn,
  isTooOld,
  grants,
  codeFor,
  leadOn,
  ask,
}: AuthorizeRouteContext) =>
  pageRoute(
    '/login/oauth/authorize',
    { actor: 'anyone', always: true },
    (context) =>
      reading(context.query, invalid, async (request) => {
        const { actor, query: given } = context;
        const isSilent = request.prompts.includes('none');
        const refuse = (error: string, description: string) =>
          sendBack(request, { error, error_description: description });
        if (actor.kind !== 'user')
          return isSilent ? refuse('login_required', 'not signed in') : toSignIn(context, false);
        const consent = { userId: actor.id, application: request.application, scope: request.scope };
        if (await isTooOld(request, actor, given.asked))
          return isSilent ? refuse('login_required', 'the sign-in is too long ago') : toSignIn(context, true);
        if (!request.prompts.includes('consent') && (await grants.isGranted(consent))) {
          const code = await codeFor(request, actor);
          return isSilent ? sendBack(request, { code }) : leadOn(request, code);
        }
        return isSilent ? refuse('consent_required', 'not granted') : ask(context, request, given);
      }),
    { query },
  );

const grantAccess = ({ reading, sendBack, codeFor }: AuthorizeRouteContext) =>
  postRoute(
    '/login/oauth/grant',
    { actor: 'user', always: true },
    (context) =>
      reading(
        context.payload,
        // they have clicked
        (error) => sendBack(error.request, refusalOf(error)),
        async (request) =>
          context.payload.granted
            ? sendBack(request, { code: await codeFor(request, context.actor) })
            : sendBack(request, { error: 'access_denied', error_description: 'the request was denied' }),
      ),
    { payload: Joi.object<ConsentFields>({ ...fields, granted: Joi.boolean().required() }) },
  );

/** `/login/oauth/authorize`: asks somebody whether an application may act for them. */
export function authorizeRoutes(deps: AuthorizeDeps): readonly Route[] {
  const context = authorizeContext(deps);
  return [authorizePage(context), grantAccess(context)];
}
