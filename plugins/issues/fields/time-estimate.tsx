import type { VNode } from 'preact';
import { Joi } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { IssueField, SentenceProps } from './field.js';
import { who } from './sentences.js';

const Sentence = (props: SentenceProps): VNode => {
  const minutes = Math.round(Number(props.entry.body) / 60) || 0;
  return (
    <>
      {minutes
        ? t.rich('line.estimate', { ...who(props), hours: Math.floor(minutes / 60), minutes: minutes % 60 })
        : t.rich('line.noEstimate', who(props))}
    </>
  );
};

/** How long an issue is thought to take, in seconds; the plugin `time-tracking` has the form. */
export const timeEstimate: IssueField<'timeEstimate', 'time_estimate', 'time_estimate', number, number> = {
  name: 'timeEstimate',
  column: 'time_estimate',
  empty: 0,
  record: {
    name: 'time_estimate',
    schema: Joi.number().integer().required().description('Seconds'),
    of: (seconds) => seconds,
  },
  timeline: {
    kinds: ['change_time_estimate'],
    icon: 'hourglass',
    entry: (_before, after) => ({ kind: 'change_time_estimate', body: String(after) }),
    Sentence,
  },
};
