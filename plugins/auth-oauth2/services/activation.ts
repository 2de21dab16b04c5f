import { AccountActivation, type Account, type ActivationDeps } from '@mortise/accounts/api';

/** Accounts that providers have brought, without a password, which wait until their mail was answered. */
export class OAuth2Activation extends AccountActivation {
  constructor(deps: ActivationDeps, isWanted: boolean) {
    super(deps, isWanted, { purpose: 'oauth2-activate', path: '/user/oauth2_activate' });
  }

  override async isAwaited(account: Account): Promise<boolean> {
    return account.sourceId !== 0 && super.isAwaited(account);
  }
}
