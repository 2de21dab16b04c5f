import { createHash } from 'node:crypto';

interface Task {
  /** Number of its line. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** The tasks of a Markdown text: `- [ ] sweep`. Code holds none; the rest is what the renderer makes a box of. */
function parseTasks(lines: readonly string[]): Task[] {
  let fence = '';
  const tasks: Task[] = [];
  for (const [number, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence) {
      if (mark && mark[0] === fence[0] && mark.length >= fence.length) fence = '';
      continue;
    }
    if (mark) {
      fence = mark;
      continue;
    }
    const match = /^((?:\s|>)*(?:[-*+]|\d{1,9}[.)])\s+\[)[ xX](\]\s.*)$/.exec(line);
    if (match) tasks.push({ line: number, before: match[1]!, after: match[2]! });
  }
  return tasks;
}

/** A text with its tasks, whichever of them are done: the same as long as nothing else of it is changed. */
export function taskListHash(text: string): string {
  const lines = text.split('\n');
  for (const { line, before, after } of parseTasks(lines)) lines[line] = `${before} ${after}`;
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 24);
}

export interface TaskToggle {
  /** Number of the task, from 0. */
  readonly at: number;
  readonly done: boolean;
  /** {@link taskListHash} of the text that somebody sees. */
  readonly mark: string;
  /** Boxes that they see. */
  readonly total: number;
}

/** The text with that task ticked. Undefined: it is another text by now, or the tasks are not those that are seen. */
export function toggleTask(text: string, { at, done, mark, total }: TaskToggle): string | undefined {
  const lines = text.split('\n');
  const tasks = parseTasks(lines);
  const task = tasks[at];
  if (!task || tasks.length !== total || taskListHash(text) !== mark) return undefined;
  lines[task.line] = `${task.before}${done ? 'x' : ' '}${task.after}`;
  return lines.join('\n');
}
