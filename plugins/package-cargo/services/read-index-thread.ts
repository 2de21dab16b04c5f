/** The entry of the threads: the index of thousands of versions would hold the event loop. */
import { beginTask, type ThreadInput } from '@mortise/plugin-sdk/threads';
import { readIndex, type IndexTask, type ReadIndex } from './read-index.js';

export default function run({ task, meter }: ThreadInput<IndexTask>): ReadIndex {
  beginTask(meter);
  return readIndex(task);
}
