import type { VNode } from 'preact';
import { Joi, dueDateOf, endOfDay, formatDate, icon } from '@mortise/plugin-sdk';
import type { Issue } from '../contract/issues.js';
import { isOverdue } from '../services/due-date.js';
import { t } from '../texts/index.js';
import { DateInput, dateOption, dateRecord, dayIn, dayOf, textOption } from './dates.js';
import type { IssueField, SentenceProps } from './field.js';
import { who } from './sentences.js';

const Sentence = (props: SentenceProps): VNode => {
  if (props.entry.kind === 'removed_deadline') return <>{t.rich('line.removed_deadline', who(props))}</>;
  const [date = '', old = ''] = props.entry.body.split('|').map((day) => formatDate(Date.parse(day)));
  return (
    <>
      {old
        ? t.rich('line.modified_deadline', { ...who(props), date, old })
        : t.rich('line.added_deadline', { ...who(props), date })}
    </>
  );
};

const Shown = ({ issue }: { issue: Issue }): VNode => {
  const isLate = isOverdue(issue);
  return (
    <span class={isLate ? 'color-fg-danger' : undefined}>
      {icon('calendar')} {isLate ? t('due.late', { date: formatDate(issue.dueAt) }) : formatDate(issue.dueAt)}
    </span>
  );
};

const Row = ({ issue }: { issue: Issue }): VNode => (
  <span class={isOverdue(issue) ? 'color-fg-danger' : undefined}>
    {icon('calendar')} {t('row.due', { date: formatDate(issue.dueAt) })}
  </span>
);

/** The day by whose end an issue is to be done. */
export const dueDate: IssueField<'dueAt', 'due_at', 'due_date', number, string | null> = {
  name: 'dueAt',
  column: 'due_at',
  empty: 0,
  record: { name: 'due_date', ...dateRecord },
  options: {
    create: { due_date: dateOption() },
    edit: { due_date: dateOption(), unset_due_date: Joi.boolean().allow(null) },
    read(body, request) {
      if (body.unset_due_date === true) return 0;
      const due = dueDateOf(textOption(body.due_date), 'due_date');
      return due && request === 'edit' ? endOfDay(due) : due;
    },
  },
  timeline: {
    kinds: ['added_deadline', 'modified_deadline', 'removed_deadline'],
    icon: 'calendar',
    entry: (before, after) => ({
      kind: !before ? 'added_deadline' : after ? 'modified_deadline' : 'removed_deadline',
      body: [after, before].filter(Boolean).map(dayOf).join('|'),
    }),
    Sentence,
  },
  form: {
    key: 'due',
    order: 50,
    title: () => t('due.title'),
    SidebarValue: Shown,
    Input: (props) => <DateInput name="due" label={t('due.title')} {...props} />,
    text: dayOf,
    read(values) {
      const day = dayIn(values, 'due');
      return day && endOfDay(day);
    },
  },
  ListRow: Row,
};
