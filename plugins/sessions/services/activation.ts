import { AccountActivation, type ActivationDeps } from '@mortise/accounts/api';

/** Accounts of the registration form, which wait until their mail was answered (`REGISTER_EMAIL_CONFIRM`). */
export class Activation extends AccountActivation {
  constructor(deps: ActivationDeps, isWanted: boolean) {
    super(deps, isWanted, { purpose: 'activate', path: '/user/activate' });
  }
}
