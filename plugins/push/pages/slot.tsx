import { IslandTexts, type Actor, type Slot } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { PollTimes } from '../settings.js';
import { t } from '../texts/index.js';

/** What the script of every page needs to know. */
export const pushSlot = (times: PollTimes): Slot<{ actor: Actor }> => ({
  key: 'push',
  order: 51,
  render: ({ actor }): VNode | null => (actor.kind === 'user' ? <PushTexts times={times} user={actor.id} /> : null),
});

/** Filled in by the script. */
const gap = { count: '{count}' };

interface TextsProps {
  readonly times: PollTimes;
  readonly user: number;
}

const PushTexts = ({ times: { shortest, longest, step }, user }: TextsProps): VNode => (
  <IslandTexts
    name="push"
    texts={{
      none: t('none'),
      one: t('one', gap),
      other: t('other', gap),
      poll: `${shortest} ${longest} ${step}`,
      user: String(user),
    }}
  />
);
