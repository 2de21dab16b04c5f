/** bzip2, which the runtime does not know, for indexes that clients want packed so. */
import { currentUploader } from './uploader.js';

/** A .bz2 of the content, made in a thread. */
export async function packBzip2(content: Buffer): Promise<Buffer> {
  const { giveBack, takeThread } = await import('./threads.js');
  const thread = await takeThread(currentUploader());
  const pieces: Uint8Array[] = [];
  try {
    thread.begin({ kind: 'pack', content });
    for (;;) {
      const message = await thread.hear();
      if (message.kind === 'end') return Buffer.concat(pieces);
      if (message.kind !== 'piece') throw new Error('the packing thread ended');
      pieces.push(message.bytes);
    }
  } finally {
    await giveBack(thread);
  }
}
