import {
  Forbidden,
  Problem,
  type AuthMethod,
  type AuthRequest,
  type AuthResult,
  type Logger,
  type Surface,
  type Text,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { SspiSettings } from '../settings.js';
import { t } from '../texts/index.js';
import type { Acceptor } from './acceptor.js';
import type { PrincipalAccounts } from './principal-accounts.js';
import { readPrincipal } from './principal.js';
import { isNegotiate, tokenOf } from './token.js';

export interface MethodDeps {
  readonly accounts: Pick<Accounts, 'actorOf' | 'refusal'>;
  readonly acceptor: Pick<Acceptor, 'accept'>;
  readonly principalAccounts: Pick<PrincipalAccounts, 'of' | 'isOffered' | 'lacksFactor'>;
  readonly log: Pick<Logger, 'warn'>;
}

const surfacesOf = (settings: SspiSettings): readonly Surface[] => [
  'page',
  ...(settings.ENABLE_API ? (['api'] as const) : []),
  ...(settings.ENABLE_GIT ? (['protocol'] as const) : []),
];

/** HTTP Negotiate (RFC 4559): one token with each request, never a connection that stays signed in. */
export function sspiMethod(
  { accounts, acceptor, principalAccounts, log }: MethodDeps,
  settings: SspiSettings,
): AuthMethod {
  const signIn = async (header: string, { surface, remoteAddress }: AuthRequest): Promise<AuthResult> => {
    // visitors of pages go on as visitors: the sign-in page has other ways, and the browser sends this by itself
    const no = (refuse: Text): AuthResult => (surface === 'page' ? undefined : { refuse });
    const token = tokenOf(header);
    const accepted = token === undefined ? undefined : await acceptor.accept(token, remoteAddress);
    const principal = accepted && readPrincipal(accepted.principal);
    if (!principal) return no(t.later('error.token'));
    const account = await principalAccounts.of(principal);
    if (!account) return no(t.later('error.nobody'));
    // a password that must be changed is not what was shown
    const refusal = accounts.refusal({ ...account, mustChangePassword: false });
    if (refusal) {
      if (surface === 'page') return undefined;
      throw Forbidden(refusal);
    }
    if (await principalAccounts.lacksFactor(account)) return no(t.later('error.secondFactor'));
    return {
      actor: accounts.actorOf(account, 'sspi'),
      ...(accepted.answer && { headers: { 'www-authenticate': `Negotiate ${accepted.answer}` } }),
    };
  };
  return {
    key: 'sspi',
    // behind sessions: browsers that send tickets with each request have them checked once
    order: 35,
    surfaces: surfacesOf(settings),
    ambient: true,
    async challenge({ surface }) {
      if (surface === 'page' && !settings.CHALLENGE_PAGES) return undefined;
      return (await principalAccounts.isOffered()) ? 'Negotiate' : undefined;
    },
    authenticate(request) {
      const { authorization } = request.headers;
      if (!authorization || !isNegotiate(authorization)) return undefined;
      return signIn(authorization, request).catch((error: unknown) => {
        // nor does what only could not be told end the page
        if (request.surface !== 'page' || !Problem.is(error)) throw error;
        log.warn('a Kerberos ticket matches no account; serving the page anonymously', {
          event: 'kerberos.anonymous',
          path: request.path,
          error,
        });
        return undefined;
      });
    },
  };
}
