import type { ComponentChildren, VNode } from 'preact';
import { Csrf, icon, PostButton } from '@mortise/plugin-sdk';
import { hidingReasons, type HidingReason } from '../models/hidden-comment.js';
import { t } from '../texts/index.js';

/** A comment that is hidden. */
export interface HiddenView {
  readonly reason: HidingReason;
  /** Name of who hid it; undefined: gone. */
  readonly hider: string | undefined;
}

/** A text that is folded with the reason; without one it stands as it is. */
export const Folded = ({ hidden, children }: { hidden: HiddenView | undefined; children: ComponentChildren }): VNode =>
  hidden ? (
    <details class="issue-hidden">
      <summary class="color-fg-muted">
        {icon('eye-closed')}{' '}
        {t('hidden.by', { reason: t(`hidingReason.${hidden.reason}`), name: hidden.hider ?? t('person.gone') })}
      </summary>
      <div class="mt-3">{children}</div>
    </details>
  ) : (
    <>{children}</>
  );

interface HidingControlProps {
  readonly id: number;
  readonly hidden: HiddenView | undefined;
  /** Below which the forms of the issue lead. */
  readonly action: string;
}

/** In the menu of a comment: hides it for a reason, or shows it again. */
export const HidingControl = ({ id, hidden, action }: HidingControlProps): VNode =>
  hidden ? (
    <PostButton action={`${action}/comments/${id}/show`} class="dropdown-item">
      {t('hidden.show')}
    </PostButton>
  ) : (
    <form method="post" action={`${action}/comments/${id}/hide`} class="issue-hiding">
      <Csrf />
      <select class="form-select select-sm" name="reason" required aria-label={t('hidden.reason')}>
        <option value="">{t('hidden.reason')}</option>
        {hidingReasons.map((reason) => (
          <option value={reason}>{t(`hidingReason.${reason}`)}</option>
        ))}
      </select>
      <button class="btn btn-sm" type="submit">
        {t('hidden.hide')}
      </button>
    </form>
  );
