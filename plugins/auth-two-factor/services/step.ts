import type { Account, LoginSources } from '@mortise/accounts/api';
import type { SignInStep } from '@mortise/sessions/api';
import type { SecondFactors } from '../api.js';

export const stepKey = 'second-factor';
export const codePath = '/user/two_factor';
export const keyPath = '/user/webauthn';
export const securityPath = '/user/settings/security';

/** Is the account known by a source that has asked for a second factor itself? */
export const isSkipped = async (sources: LoginSources, account: Account): Promise<boolean> =>
  account.sourceId !== 0 && ((await sources.byId(account.sourceId))?.skipsSecondFactor ?? false);

/** Asks for the second factor, of those who have one. */
export const secondFactorStep = (services: {
  readonly loginSources: LoginSources;
  readonly secondFactors: SecondFactors;
}): SignInStep => ({
  key: stepKey,
  order: 10,
  async page({ account }) {
    const { totp, keys } = await services.secondFactors.of(account.id);
    if (!totp && keys === 0) return undefined;
    if (await isSkipped(services.loginSources, account)) return undefined;
    return keys > 0 ? keyPath : codePath;
  },
});
