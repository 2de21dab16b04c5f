import { Ago } from '@mortise/plugin-sdk';
import type { SentenceProps } from './field.js';

/** Who did it and when, as most sentences of the timeline have it. */
export const who = ({ entry, view }: SentenceProps) => ({
  name: view.userLink(entry.actorId),
  when: <Ago time={entry.createdAt} />,
});

/** A text among the data of an entry. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
