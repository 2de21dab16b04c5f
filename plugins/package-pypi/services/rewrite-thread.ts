/** The entry of the threads: pages of thousands of files would hold the event loop. */
import { beginTask, type ThreadInput } from '@mortise/plugin-sdk/threads';
import { rewritePage, type RewriteTask, type RewrittenPage } from './rewrite.js';

export default function run({ task, meter }: ThreadInput<RewriteTask>): RewrittenPage {
  beginTask(meter);
  return rewritePage(task);
}
