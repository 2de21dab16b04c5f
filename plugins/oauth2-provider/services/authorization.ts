import { Problem, type Text } from '@mortise/plugin-sdk';
import type { TokenScopes } from '@mortise/auth-token/api';
import type { OAuth2Application } from '../contract/oauth2-provider.js';
import { t } from '../texts/index.js';
import type { ApplicationService } from './applications.js';
import { matchesRedirect } from './redirects.js';
import { readScope } from './scope.js';

/** Parameters of a request for authorization (RFC 6749 4.1.1, RFC 7636 4.3, OpenID Connect Core 3.1.2.1). */
export interface AuthorizationFields {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly response_type: string;
  readonly response_mode: string;
  readonly state: string;
  readonly scope: string;
  readonly nonce: string;
  readonly prompt: string;
  readonly max_age: string;
  readonly code_challenge: string;
  readonly code_challenge_method: string;
  /** Ours: since when the person was asked to sign in again; see `FreshSignIns`. */
  readonly asked: string;
}

/** A request that is as it must be. */
export interface AuthorizationRequest {
  readonly application: OAuth2Application;
  readonly redirectUri: string;
  /** As the request says it; empty where it leaves it to us. The exchange must say the same (RFC 6749 4.1.3). */
  readonly givenRedirectUri: string;
  readonly state: string;
  readonly scope: readonly string[];
  readonly nonce: string;
  readonly challenge: string;
  readonly prompts: readonly string[];
  /** How long ago the sign-in may be; undefined: any time. */
  readonly maxAgeMs: number | undefined;
}

/** The application learns of it at its redirect address (RFC 6749 4.1.2.1). */
export class AuthorizationError extends Error {
  constructor(
    readonly request: Pick<AuthorizationRequest, 'application' | 'redirectUri' | 'state'>,
    readonly code: string,
    /** For developers, in English, as `error_description` is. */
    readonly description: string,
  ) {
    super(description);
  }
}

const maxState = 2000;
const maxNonce = 255;

/** Adds answers to a redirect address, keeping what is in it. */
export function withAnswer(redirectUri: string, answer: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) if (value !== '') url.searchParams.set(name, value);
  return url.href;
}

/**
 * Throws a Problem where nobody may be redirected: unknown applications and addresses that are not theirs. Throws
 * {@link AuthorizationError} for everything else.
 */
export async function readAuthorization(
  fields: AuthorizationFields,
  applications: ApplicationService,
  words: TokenScopes,
): Promise<AuthorizationRequest> {
  const application = await applications.byClientId(fields.client_id);
  if (!application) throw refused(t.later('error.unknownClient'));
  const [only, ...more] = application.redirectUris;
  const redirectUri = fields.redirect_uri || (more.length === 0 ? only! : '');
  if (!redirectUri || !matchesRedirect(redirectUri, application.redirectUris))
    throw refused(t.later('error.foreignRedirect', { name: application.name }));
  const { state } = fields;
  const fail = (code: string, description: string) =>
    new AuthorizationError(
      { application, redirectUri, state: state.length > maxState ? '' : state },
      code,
      description,
    );
  if (state.length > maxState || fields.nonce.length > maxNonce)
    throw fail('invalid_request', 'state or nonce is too long');
  if (fields.response_type !== 'code') throw fail('unsupported_response_type', 'the response type must be code');
  if (fields.response_mode && fields.response_mode !== 'query')
    throw fail('invalid_request', 'the response mode must be query');
  const challenge = fields.code_challenge;
  if (challenge && fields.code_challenge_method !== 'S256')
    throw fail('invalid_request', 'the code challenge method must be S256');
  if (challenge && !/^[\w-]{43}$/.test(challenge)) throw fail('invalid_request', 'the code challenge is not of S256');
  if (!challenge && !application.isConfidential)
    throw fail('invalid_request', 'an application without a secret needs a code challenge (PKCE)');
  const prompts = fields.prompt.split(' ').filter(Boolean);
  return {
    application,
    redirectUri,
    givenRedirectUri: fields.redirect_uri,
    state,
    scope: scopeOf(fields.scope, words, fail),
    nonce: fields.nonce,
    challenge,
    prompts,
    maxAgeMs: prompts.includes('login')
      ? 0
      : /^\d{1,9}$/.test(fields.max_age)
        ? Number(fields.max_age) * 1000
        : undefined,
  };
}

function scopeOf(
  text: string,
  words: TokenScopes,
  fail: (code: string, description: string) => AuthorizationError,
): readonly string[] {
  try {
    return readScope(text, words);
  } catch (error) {
    throw Problem.is(error) ? fail('invalid_scope', error.message) : error;
  }
}

const refused = (text: Text) => new Problem('bad_request', text);
