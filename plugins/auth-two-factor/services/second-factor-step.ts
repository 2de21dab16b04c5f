import { Forbidden } from '@mortise/plugin-sdk';
import type { Account, LoginSources } from '@mortise/accounts/api';
import type { SignInStep } from '@mortise/sessions/api';
import type { SecondFactors } from '../contract/auth-two-factor.js';
import { t } from '../texts/index.js';

export const stepKey = 'second-factor';
export const codePath = '/user/two_factor';
export const keyPath = '/user/webauthn';
export const securityPath = '/user/settings/security';

/** Is the account known by a source that has asked for a second factor itself? */
export const isSkipped = async (sources: LoginSources, account: Account): Promise<boolean> =>
  account.sourceId !== 0 && ((await sources.byId(account.sourceId))?.skipsSecondFactor ?? false);

/**
 * Asks for the second factor, of those who have one. Only the source of the account itself can have asked before: who comes
 * in through another one has shown nothing there, unless that one says so (`passed`).
 */
export const secondFactorStep =
  (isEnforced: boolean) =>
  (services: { readonly loginSources: LoginSources; readonly secondFactors: SecondFactors }): SignInStep => ({
    key: stepKey,
    order: 10,
    async page({ account, sourceId = 0 }) {
      const { totp, keys } = await services.secondFactors.of(account.id);
      const hasNone = !totp && keys === 0;
      if (hasNone && !isEnforced) return undefined;
      if (await isSkipped(services.loginSources, account)) {
        if (sourceId === account.sourceId) return undefined;
        // the account is open to all because its own source asks, which nobody has here
        const source = (await services.loginSources.byId(account.sourceId))?.name ?? '';
        if (hasNone) throw Forbidden(t.later('error.ownSource', { source }));
      }
      if (hasNone) return undefined;
      return keys > 0 ? keyPath : codePath;
    },
  });
