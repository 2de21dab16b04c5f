import type { VNode } from 'preact';
import { Ago, formatDate, formatNumber, PostButton, Section, type ScheduledTask } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

interface TaskListProps {
  readonly tasks: readonly ScheduledTask[];
  readonly csrf: string;
  readonly action: string;
}

/** Scheduled tasks of all plugins: when, when next and last, how often, and a button to do one now. */
export const TaskList = ({ tasks, csrf, action }: TaskListProps): VNode => (
  <Section title={t('tasks.title')}>
    <p class="color-fg-muted">{t('tasks.note')}</p>
    <table class="data-table width-full">
      <thead>
        <tr>
          <th scope="col">{t('tasks.name')}</th>
          <th scope="col">{t('tasks.schedule')}</th>
          <th scope="col">{t('tasks.next')}</th>
          <th scope="col">{t('tasks.last')}</th>
          <th scope="col">{t('tasks.runs')}</th>
          <th scope="col">
            <span class="sr-only">{t('tasks.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tasks.map(({ name, schedule, nextAt, lastAt, runs }) => (
          <tr key={name}>
            <td class="text-mono">{name}</td>
            <td class="text-mono no-wrap">{schedule}</td>
            <td class="no-wrap">
              <time dateTime={new Date(nextAt).toISOString()}>{formatDate(nextAt, 'minute')}</time>
            </td>
            <td class="no-wrap">{lastAt === undefined ? t('tasks.never') : <Ago time={lastAt} />}</td>
            <td>{formatNumber(runs)}</td>
            <td class="text-right">
              <PostButton action={action} csrf={csrf} fields={{ name }} label={t('tasks.runOf', { name })}>
                {t('tasks.run')}
              </PostButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Section>
);
