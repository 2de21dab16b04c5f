/** The entry of the threads. */
import { highlightAll } from './highlight.js';
import { loadFor } from './libraries.js';
import { cleanHtml, renderText } from './render.js';
import { meterSlot, unknownThread, type Answer, type Order, type Task } from './tasks.js';
import { cpuTimeOf, currentThread } from './thread-time.js';

const thread = currentThread();

export default async function run({ task, meter }: Order): Promise<Answer<Task>> {
  // before its time counts, so that no text pays for it
  loadFor(task.kind, task.kind === 'render' ? task.text : '');
  meter[meterSlot.startedAt] = cpuTimeOf(thread) ?? 0;
  meter[meterSlot.thread] = thread || unknownThread;
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
