import { actAudited, type Events } from '@mortise/plugin-sdk';
import type { SecondFactorChange } from '../contract/auth-two-factor.js';

/** Second factors that an account gets or loses are in the audit log, by the name of the key where there is one. */
export const auditChange = (
  { userId, change, name = '' }: SecondFactorChange,
  { events }: { readonly events: Events },
): Promise<void> =>
  events.emit(actAudited, {
    action: 'second_factor.change',
    target: { kind: 'second_factor', name },
    userId,
    details: { change },
  });
