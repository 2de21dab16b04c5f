import { render } from 'preact-render-to-string';
import type { PageChunk } from '@mortise/plugin-sdk';
import { renderDeferred } from '@mortise/plugin-sdk/host';
import type { RenderQueue } from './render-queue.js';

/** Runs what renders with all that it may ask for, such as the language of the page. */
export type Scope = <T>(work: () => T) => T;

/**
 * The bytes of a page; its large parts piece by piece. Text becomes bytes once and early: what is counted, searched and
 * copied of it may be megabytes, and long texts out of many short ones are what the garbage collector takes longest for.
 */
export async function renderChunked(renderQueue: RenderQueue, scope: Scope, make: () => string): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  await draw(make);
  return chunks;

  async function draw(work: () => string): Promise<void> {
    const parts = await renderQueue.run(() =>
      renderDeferred(() => scope(work)).map((one) => (typeof one === 'string' ? Buffer.from(one) : one)),
    );
    for (const part of parts) {
      if (Buffer.isBuffer(part)) chunks.push(part);
      else await drawPieces(part);
    }
  }

  async function drawPieces(pieces: () => Iterable<PageChunk>): Promise<void> {
    let left: Iterator<PageChunk> | undefined;
    for (;;) {
      let isOver = false;
      await draw(() => {
        left ??= pieces()[Symbol.iterator]();
        const { done, value } = left.next() as IteratorResult<PageChunk, undefined>;
        isOver = done === true;
        return !value ? '' : '__html' in value ? value.__html : render(value);
      });
      if (isOver) return;
    }
  }
}
