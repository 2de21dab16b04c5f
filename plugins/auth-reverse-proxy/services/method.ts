import {
  Forbidden,
  Problem,
  type AuthMethod,
  type AuthRequest,
  type AuthResult,
  type Surface,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { HeaderSettings, ProxySettings } from '../settings.js';

/** Longer ones are nobody's. */
const maxValue = 255;

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
export function proxyMethod(accounts: Accounts, settings: ProxySettings, headers: HeaderSettings): AuthMethod {
  const named = (request: AuthRequest, name: string) => {
    const value = request.headers[name.toLowerCase()]?.trim();
    return value && value.length <= maxValue ? value : undefined;
  };

  const make = async (name: string, request: AuthRequest): Promise<Account | undefined> => {
    const email = settings.ENABLE_REVERSE_PROXY_EMAIL
      ? named(request, headers.REVERSE_PROXY_AUTHENTICATION_EMAIL)
      : undefined;
    const fullName = settings.ENABLE_REVERSE_PROXY_FULL_NAME
      ? named(request, headers.REVERSE_PROXY_AUTHENTICATION_FULL_NAME)
      : undefined;
    try {
      // nobody has an address of the domain that is reserved for none (RFC 2606)
      return await accounts.create({
        name,
        email: email ?? `${name}@proxy.invalid`,
        fullName: fullName === undefined ? '' : decoded(fullName).slice(0, 100),
      });
    } catch (error) {
      // two requests of a new browser come at once
      if (Problem.is(error)) return accounts.byName(name);
      throw error;
    }
  };

  const signIn = async (name: string, request: AuthRequest): Promise<AuthResult> => {
    const known = await accounts.byName(name);
    const account = known ?? (settings.ENABLE_REVERSE_PROXY_AUTO_REGISTRATION ? await make(name, request) : undefined);
    if (account?.kind !== 'user') return undefined;
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
      const name = named(request, headers.REVERSE_PROXY_AUTHENTICATION_USER);
      return name === undefined ? undefined : signIn(name, request);
    },
  };
}
