/** The entry of the threads: documents of thousands of versions would hold the event loop. */
import { beginTask, type ThreadInput } from '@mortise/plugin-sdk/threads';
import { rewritePackument, type RewriteTask, type RewrittenPackument } from './rewrite.js';

export default function run({ task: { body, name, base }, meter }: ThreadInput<RewriteTask>): RewrittenPackument {
  beginTask(meter);
  return rewritePackument(body, name, base);
}
