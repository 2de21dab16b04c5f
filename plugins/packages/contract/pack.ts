/** Packings that the runtime does not know, for indexes that clients want packed so. */
import type { PackWork } from './threads.js';
import { currentUploader } from './uploader.js';

/** Less is packed at once. */
const worthAThread = 16 * 1024;

// what packs is loaded with the first index, not at the start
const lzma = () => import('./lzma.js');

/** An .xz of the content; a large one is made in a thread. */
export const packXz = async (content: Buffer): Promise<Buffer> =>
  content.length < worthAThread ? (await lzma()).encodeXz(content) : inThread({ content, packing: 'xz' });

/** A block of an .xz that is put together of several; without its padding. */
export const packXzBlock = async (content: Buffer): Promise<Buffer> =>
  content.length < worthAThread ? (await lzma()).encodeXzBlock(content) : inThread({ content, packing: 'xz-block' });

/** The same as .bz2. */
export const packBzip2 = async (content: Buffer): Promise<Buffer> =>
  content.length < worthAThread
    ? (await import('./bzip2.js')).encodeBzip2(content)
    : inThread({ content, packing: 'bzip2' });

async function inThread(work: PackWork): Promise<Buffer> {
  const { giveBack, takeThread } = await import('./threads.js');
  const thread = await takeThread(currentUploader());
  try {
    thread.begin({ kind: 'pack', ...work });
    const message = await thread.hear();
    if (message.kind !== 'piece') throw new Error('the packing thread ended');
    return Buffer.from(message.bytes.buffer);
  } finally {
    await giveBack(thread);
  }
}
