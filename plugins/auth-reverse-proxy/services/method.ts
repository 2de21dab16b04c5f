import {
  Forbidden,
  type AuthMethod,
  type AuthRequest,
  type AuthResult,
  type Logger,
  type MemoryCache,
  type Surface,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { HeaderSettings, ProxySettings } from '../settings.js';
import { ProxyUsers, type ProxyIdentity } from './users.js';

/** Longer ones are nobody's. */
const maxValue = 255;

interface ProxyMethodDeps {
  readonly accounts: Accounts;
  readonly log: Pick<Logger, 'warn'>;
  /** What was logged a while ago: proxies say the same with each request. */
  readonly logged: MemoryCache<true>;
}

/** Header values are bytes; proxies send names of people percent-encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The surfaces on which the settings allow it. */
export function surfacesOf(settings: ProxySettings): readonly Surface[] {
  return [
    ...(settings.ENABLE_REVERSE_PROXY_AUTHENTICATION ? (['page', 'protocol'] as const) : []),
    ...(settings.ENABLE_REVERSE_PROXY_AUTHENTICATION_API ? (['api'] as const) : []),
  ];
}

/**
 * Who a trusted proxy says that it is (RPX-01). From anybody else the headers mean nothing, whatever stands in them:
 * they are not even looked at.
 */
export function proxyMethod(deps: ProxyMethodDeps, settings: ProxySettings, headers: HeaderSettings): AuthMethod {
  const { accounts } = deps;
  const users = new ProxyUsers(accounts, {
    usesEmail: settings.ENABLE_REVERSE_PROXY_EMAIL,
    createsAccounts: settings.ENABLE_REVERSE_PROXY_AUTO_REGISTRATION,
  });

  const identityOf = (request: AuthRequest): ProxyIdentity => {
    const header = (name: string) => {
      const value = request.headers[name.toLowerCase()]?.trim();
      return value && value.length <= maxValue ? value : undefined;
    };
    const fullName = header(headers.REVERSE_PROXY_AUTHENTICATION_FULL_NAME);
    return {
      user: header(headers.REVERSE_PROXY_AUTHENTICATION_USER),
      email: settings.ENABLE_REVERSE_PROXY_EMAIL ? header(headers.REVERSE_PROXY_AUTHENTICATION_EMAIL) : undefined,
      fullName:
        settings.ENABLE_REVERSE_PROXY_FULL_NAME && fullName !== undefined ? decoded(fullName).slice(0, 100) : undefined,
    };
  };

  const logOnce = (identity: ProxyIdentity, reason: string) => {
    const { user = '', email = '' } = identity;
    const key = JSON.stringify([user, email]);
    if (deps.logged.get(key)) return;
    deps.logged.set(key, true);
    deps.log.warn('rejected a user named by the reverse proxy', {
      event: 'reverseProxy.rejected',
      user,
      email,
      reason,
    });
  };

  const signIn = async (identity: ProxyIdentity, request: AuthRequest): Promise<AuthResult> => {
    const account = await users.resolve(identity, request);
    if (account && 'reason' in account) {
      logOnce(identity, account.message);
      // visitors of pages go on as visitors: the sign-in page has other ways
      return request.surface === 'page' ? undefined : { refuse: account.reason };
    }
    if (account?.kind !== 'user') {
      logOnce(identity, account ? 'the name is not that of a user' : 'there is no such account, and none is created');
      return undefined;
    }
    // a password that must be changed is not the one that was given
    const refusal = accounts.refusal({ ...account, mustChangePassword: false });
    if (refusal) throw Forbidden(refusal);
    return { actor: accounts.actorOf(account, 'reverse-proxy') };
  };

  return {
    key: 'reverse-proxy',
    // a session of an earlier person must not outlive what the proxy says
    order: 25,
    surfaces: surfacesOf(settings),
    ambient: true,
    authenticate(request) {
      if (!request.connection.isTrustedProxy) return undefined;
      const identity = identityOf(request);
      if (identity.user === undefined && identity.email === undefined) return undefined;
      return signIn(identity, request);
    },
  };
}
