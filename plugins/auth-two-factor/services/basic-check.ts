import type { CredentialCheck } from '@mortise/auth-basic/api';
import type { LoginSources } from '@mortise/accounts/api';
import { t } from '../texts/index.js';
import type { Factors } from './factors.js';
import { isSkipped } from './second-factor-step.js';

const headers = ['x-gitea-otp', 'x-mortise-otp'] as const;

/** Programs that send a password send a one-time code with it; who has a key uses tokens (TFA-01). */
export const basicCheck = (services: {
  readonly factors: Factors;
  readonly loginSources: LoginSources;
}): CredentialCheck => ({
  key: 'second-factor',
  async refuse(account, request) {
    const { totp, keys } = await services.factors.of(account.id);
    if (!totp && keys === 0) return undefined;
    if (await isSkipped(services.loginSources, account)) return undefined;
    // A key cannot be asked here, and whoever chose one did not want less.
    if (keys > 0) return t.later('error.basicKey');
    const code = headers.map((name) => request.headers[name]).find((value) => value);
    if (!code) return t.later('error.basicMissing');
    const isRight = await services.factors.useTotp(account.id, code, request.remoteAddress);
    return isRight ? undefined : t.later('error.basicWrong');
  },
});
