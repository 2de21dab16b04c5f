import { randomBytes } from 'node:crypto';
import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';

/** Elements, or HTML that is safe already. */
export type PageChunk = VNode | { readonly __html: string };

interface ChunkedRenderProps {
  /**
   * Makes the pieces when the rest of the page is there, in its language. Each should take a few milliseconds: some
   * hundred lines as HTML, some dozen entries as elements.
   */
  readonly chunks: () => Iterable<PageChunk>;
}

type Chunks = ChunkedRenderProps['chunks'];

/** Shared by all installed copies of the SDK, as the language is. */
const state = ((globalThis as Record<symbol, unknown>)[Symbol.for('mortise.chunkedRender')] ??= {
  // nothing that is shown in a page can name it
  mark: randomBytes(16).toString('base64url'),
}) as { readonly mark: string; current?: Chunks[] | undefined };

const placeholder = (index: number): string => `<!--${state.mark} ${index}-->`;
const placeholders = new RegExp(placeholder(0).replace('0-->', '(\\d+)-->'));

/**
 * A large part of a page that is rendered chunk by chunk, so that other requests are answered in between. It is placed
 * where the component is, without an element around it.
 */
export function ChunkedRender({ chunks }: ChunkedRenderProps): VNode {
  if (state.current) return jsxTemplate([placeholder(state.current.push(chunks) - 1)]);
  // rendered outside the kernel, such as in a test
  const made = [...chunks()].map((chunk) => ('__html' in chunk ? jsxTemplate([chunk.__html]) : chunk));
  return jsxTemplate(['', ...made.map(() => '')], ...made);
}

/** For the kernel: renders HTML with its chunks in it, for use elsewhere than where it is rendered. */
export function renderWhole(render: () => string): string {
  const before = state.current;
  state.current = undefined;
  try {
    return render();
  } finally {
    state.current = before;
  }
}

/** For the kernel: the HTML of `render`, split at the chunks that are still to be rendered. */
export function renderDeferred(render: () => string): readonly (string | Chunks)[] {
  const before = state.current;
  const parts: Chunks[] = (state.current = []);
  try {
    const html = render();
    // at the odd places are the numbers
    return parts.length === 0
      ? [html]
      : html.split(placeholders).map((one, at) => (at % 2 ? parts[Number(one)]! : one));
  } finally {
    state.current = before;
  }
}
