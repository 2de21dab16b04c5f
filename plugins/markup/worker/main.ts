/** The entry of the threads. */
import { beginTask, type ThreadInput } from '@mortise/plugin-sdk/threads';
import { highlightAll } from './highlight.js';
import { loadFor } from './libraries.js';
import { cleanHtml, renderText } from './render.js';
import type { Answer, Task } from './tasks.js';

export default async function run({ task, meter }: ThreadInput<Task>): Promise<Answer<Task>> {
  // before its time counts, so that no text pays for it
  await loadFor(task);
  beginTask(meter);
  switch (task.kind) {
    case 'render':
      return renderText(task);
    case 'highlight':
      return highlightAll(task, meter);
    case 'sanitize':
      return cleanHtml(task.html);
    case 'warm':
      return undefined;
  }
}
