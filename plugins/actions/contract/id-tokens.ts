import { defineService } from '@mortise/plugin-sdk';
import type { RuntimeClaims } from './runtime-tokens.js';

/**
 * Identity tokens by which jobs prove to others who they are (OpenID Connect). Issuer: `{root address}/api/actions`, with
 * `/.well-known/openid-configuration` and `/.well-known/keys` below it.
 */
export interface IdTokenRequests {
  /** Where, and with what, the programs of a job ask for one; for jobs with `id-token: write` alone. */
  requestOf(claims: RuntimeClaims): Promise<{ readonly url: string; readonly token: string }>;
}
export const idTokenRequests = defineService<IdTokenRequests>('actions.idTokenRequests');
