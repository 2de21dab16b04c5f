/** The entry of the threads. */
import { beginTask, type Order } from '@mortise/plugin-sdk/threads';
import { parseWorkflow } from '../workflow/index.js';
import { yamlLibrary } from '../workflow/library.js';
import { planRun } from './plan.js';
import type { Answer, Task } from './tasks.js';

export default function run({ task, meter }: Order<Task>): Answer<Task> {
  // before its time counts, so that no workflow pays for it
  yamlLibrary();
  beginTask(meter);
  return task.kind === 'parse' ? parseWorkflow(task.text, task.file) : planRun(task.workflow, task.contexts);
}
