/** The entry of the threads. */
import { beginTask, type ThreadInput } from '@mortise/plugin-sdk/threads';
import { parseWorkflow } from '../workflow/index.js';
import { yamlLibrary } from '../workflow/library.js';
import { outputsOfCall, planCall, expandJobMatrix } from './deferred.js';
import { planRun } from './plan.js';
import type { Answer, Task } from './tasks.js';

export default function run({ task, meter }: ThreadInput<Task>): Answer<Task> {
  // before its time counts, so that no workflow pays for it
  yamlLibrary();
  beginTask(meter);
  switch (task.kind) {
    case 'parse':
      return parseWorkflow(task.text, task.file);
    case 'plan':
      return planRun(task.workflow, task.contexts);
    case 'call':
      return planCall(task);
    case 'matrix':
      return expandJobMatrix(task);
    case 'outputs':
      return outputsOfCall(task);
  }
}
