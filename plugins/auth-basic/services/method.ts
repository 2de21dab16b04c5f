import {
  Forbidden,
  readBasic,
  type AuthMethod,
  type AuthRequest,
  type AuthResult,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { CredentialCheck } from '../api.js';

/** Name (or address) and password in the `Authorization` header, for programs; people sign in on a page (BAS-01). */
export function basicMethod(accounts: Accounts, checks: PointReader<CredentialCheck>, enabled: boolean): AuthMethod {
  const signIn = async (
    given: { readonly user: string; readonly password: string },
    request: AuthRequest,
  ): Promise<AuthResult> => {
    const account = await accounts.checkPassword(given.user, given.password, request.remoteAddress, {
      isRecentEnough: true,
    });
    if (!account || account.prohibitLogin) return { refuse: 'user name or password is wrong' };
    // The password was right, so saying more gives nothing away.
    const refusal = accounts.refusal(account);
    if (refusal) throw Forbidden(refusal);
    for (const check of checks.list()) {
      const refuse = await check.refuse(account, request);
      if (refuse) return { refuse };
    }
    return { actor: accounts.actorOf(account, 'basic') };
  };
  return {
    key: 'basic',
    order: 20,
    surfaces: ['api', 'protocol'],
    challenge: 'Basic realm="Mortise"',
    authenticate(request) {
      if (!enabled) return undefined;
      const given = readBasic(request.headers.authorization);
      return given && signIn(given, request);
    },
  };
}
