import type { VNode } from 'preact';
import { Ago, PostButton, Section, type ScheduledTask } from '@mortise/plugin-sdk';

interface TaskListProps {
  readonly tasks: readonly ScheduledTask[];
  readonly csrf: string;
  readonly action: string;
}

const minute = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

/** Regular tasks of all plugins: when, when next and last, how often, and a button to do one now. */
export const TaskList = ({ tasks, csrf, action }: TaskListProps): VNode => (
  <Section title="Regular tasks">
    <p class="color-fg-muted">What the plugins of this site do by themselves. Times of schedules are UTC.</p>
    <table class="data-table width-full">
      <thead>
        <tr>
          <th scope="col">Task</th>
          <th scope="col">Schedule</th>
          <th scope="col">Next</th>
          <th scope="col">Last</th>
          <th scope="col">Runs</th>
          <th scope="col">
            <span class="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tasks.map(({ name, schedule, nextAt, lastAt, runs }) => (
          <tr key={name}>
            <td class="text-mono">{name}</td>
            <td class="text-mono no-wrap">{schedule}</td>
            <td class="no-wrap">
              <time dateTime={new Date(nextAt).toISOString()}>{minute(nextAt)}</time>
            </td>
            <td class="no-wrap">{lastAt === undefined ? 'never' : <Ago time={lastAt} />}</td>
            <td>{runs}</td>
            <td class="text-right">
              <PostButton action={action} csrf={csrf} fields={{ name }} label={`Run ${name} now`}>
                Run now
              </PostButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Section>
);
