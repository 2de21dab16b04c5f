import type { VNode } from 'preact';
import { Joi, formatDate, icon, timeOf } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import { DateInput, dateOption, dateRecord, dayIn, dayOf, textOption } from './dates.js';
import type { IssueField, SentenceProps } from './field.js';
import { who } from './sentences.js';

const Sentence = (props: SentenceProps): VNode => {
  const [day] = props.entry.body.split('|');
  return (
    <>
      {day
        ? t.rich('line.startDate', { ...who(props), date: formatDate(Date.parse(day)) })
        : t.rich('line.noStartDate', who(props))}
    </>
  );
};

/** The day on which work on an issue is to begin; it may lie after the day on which that is due. */
export const startDate: IssueField<'startAt', 'start_at', 'start_date', number, string | null> = {
  name: 'startAt',
  column: 'start_at',
  empty: 0,
  record: { name: 'start_date', ...dateRecord },
  options: {
    create: { start_date: dateOption() },
    edit: { start_date: dateOption(), unset_start_date: Joi.boolean().allow(null) },
    read(body) {
      if (body.unset_start_date === true) return 0;
      const text = textOption(body.start_date);
      // the day that is written, whatever its offset
      return timeOf(text, 'start_date') && Date.parse(text!.slice(0, 10));
    },
  },
  timeline: {
    kinds: ['change_start_date'],
    icon: 'calendar',
    entry: (before, after) => ({ kind: 'change_start_date', body: [after, before].map(dayOf).join('|') }),
    Sentence,
  },
  form: {
    key: 'start',
    order: 45,
    title: () => t('start.title'),
    SidebarValue: ({ issue }) => (
      <span>
        {icon('calendar')} {formatDate(issue.startAt)}
      </span>
    ),
    Input: (props) => <DateInput name="start" label={t('start.title')} {...props} />,
    text: dayOf,
    read: (values) => dayIn(values, 'start'),
  },
};
