import { textOf, type PointReader } from '@mortise/plugin-sdk';
import type { NotificationReason, NotificationReasonKind } from '../contract/notifications.js';
import { t } from '../texts/index.js';

const own = (key: 'watching' | 'participating' | 'mentioned' | 'assigned' | 'review_requested' | 'transfer') => ({
  key,
  label: t.later(`reason.${key}`),
});

/** Those of this plugin. */
export const ownReasons: readonly NotificationReasonKind[] = [
  own('watching'),
  own('participating'),
  { ...own('mentioned'), isPersonal: true },
  { ...own('assigned'), isPersonal: true },
  { ...own('review_requested'), isPersonal: true },
  { ...own('transfer'), isPersonal: true },
];

/** What the column holds. */
const maxLength = 20;

/** Why people are told, as plugins declare it. */
export class Reasons {
  constructor(private readonly kinds: PointReader<NotificationReasonKind>) {}

  isPersonal(reason: NotificationReason): boolean {
    return this.kinds.get(reason)?.isPersonal ?? false;
  }

  /** Undefined: the plugin that declared it is off by now. */
  labelOf(reason: NotificationReason): string | undefined {
    const label = this.kinds.get(reason)?.label;
    return label && textOf(label);
  }

  /** Throws for one that nobody declared, which would be shown as nothing. */
  check(reason: NotificationReason): void {
    if (reason.length > maxLength) throw new Error(`reason "${reason}" has more than ${maxLength} characters`);
    if (!this.kinds.get(reason))
      throw new Error(`unknown reason "${reason}"; contribute it to the point notifications.reasons`);
  }
}
