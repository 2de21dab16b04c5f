import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import { statusName, type StatusName } from '../contract/states.js';
import { t } from '../texts/index.js';

interface StatusAppearance {
  readonly icon: string;
  readonly tone: string;
  /** Something is being done: it moves, for those who want things to move. */
  readonly isSpinning?: true;
}

const appearances: Readonly<Record<StatusName, StatusAppearance>> = {
  unknown: { icon: 'question', tone: 'color-fg-muted' },
  success: { icon: 'check-circle-fill', tone: 'color-fg-success' },
  failure: { icon: 'x-circle-fill', tone: 'color-fg-danger' },
  cancelled: { icon: 'stop', tone: 'color-fg-muted' },
  skipped: { icon: 'skip', tone: 'color-fg-muted' },
  waiting: { icon: 'clock', tone: 'color-fg-attention' },
  running: { icon: 'sync', tone: 'color-fg-attention', isSpinning: true },
  blocked: { icon: 'blocked', tone: 'color-fg-attention' },
  cancelling: { icon: 'stop', tone: 'color-fg-attention' },
};

/** Icon of a status, which is read out. */
export const StatusIcon = ({ status, size = 16 }: { readonly status: number; readonly size?: 16 | 24 }): VNode => {
  const name = statusName(status);
  const { icon: picture, tone, isSpinning: turns } = appearances[name];
  return (
    <span class={`${tone} flex-shrink-0`}>
      {icon(picture, { size, label: t(`status.${name}`), ...(turns && { class: 'actions-turns' }) })}
    </span>
  );
};

export const statusAppearance = (status: number): StatusAppearance => appearances[statusName(status)];

/** Milliseconds in words without much room: `1h 2m`, `3m 4s`, `5s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return t('duration.hours', { hours, minutes });
  return minutes > 0 ? t('duration.minutes', { minutes, seconds: rest }) : t('duration.seconds', { seconds: rest });
}

interface Timed {
  readonly started_at: number;
  readonly stopped_at: number;
}

/** How long it took, or takes so far; 0: it has not begun. */
export const elapsed = ({ started_at, stopped_at }: Timed, now = Date.now()): number =>
  Number(started_at) > 0 ? Math.max(0, (Number(stopped_at) || now) - Number(started_at)) : 0;
