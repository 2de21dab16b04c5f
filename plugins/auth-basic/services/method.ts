import { Forbidden, readBasic, type AuthMethod, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { CredentialCheck } from '../api.js';

/** Name (or address) and password in the `Authorization` header, for programs; people sign in on a page (BAS-01). */
export function basicMethod(accounts: Accounts, checks: PointReader<CredentialCheck>, enabled: boolean): AuthMethod {
  return {
    key: 'basic',
    order: 20,
    challenge: 'Basic realm="Mortise"',
    async authenticate(request) {
      if (request.surface === 'page') return undefined;
      const given = readBasic(request.headers.authorization);
      if (!given || !enabled) return undefined;
      const account = await accounts.checkPassword(given.user, given.password);
      if (!account || account.prohibitLogin) return { refuse: 'user name or password is wrong' };
      // The password was right, so saying more gives nothing away.
      const refusal = accounts.refusal(account);
      if (refusal) throw Forbidden(refusal);
      for (const check of checks.list()) {
        const refuse = await check.refuse(account, request);
        if (refuse) return { refuse };
      }
      return { actor: accounts.actorOf(account, 'basic') };
    },
  };
}
