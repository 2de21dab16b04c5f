import { randomBytes } from 'node:crypto';
import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';

/** Elements, or HTML that is safe already. */
export type PagePiece = VNode | { readonly __html: string };

export interface InTurnsProps {
  /**
   * Makes the pieces when the rest of the page is there, in its language. Each should take a few milliseconds: some
   * hundred lines as HTML, some dozen entries as elements.
   */
  readonly pieces: () => Iterable<PagePiece>;
}

type Pieces = InTurnsProps['pieces'];

/** Shared by all installed copies of the SDK, as the language is. */
const state = ((globalThis as Record<symbol, unknown>)[Symbol.for('mortise.inTurns')] ??= {
  // nothing that is shown in a page can name it
  mark: randomBytes(16).toString('base64url'),
}) as { readonly mark: string; current?: Pieces[] | undefined };

const placeOf = (index: number): string => `<!--${state.mark} ${index}-->`;
const places = new RegExp(placeOf(0).replace('0-->', '(\\d+)-->'));

/**
 * A large part of a page, which is made piece by piece so that other visitors are answered in between. It stands where
 * the component does, without an element around it.
 */
export function InTurns({ pieces }: InTurnsProps): VNode {
  if (state.current) return jsxTemplate([placeOf(state.current.push(pieces) - 1)]);
  // rendered by somebody else than the kernel, such as a test
  const made = [...pieces()].map((piece) => ('__html' in piece ? jsxTemplate([piece.__html]) : piece));
  return jsxTemplate(['', ...made.map(() => '')], ...made);
}

/** For the kernel: HTML with all its parts in it, since it is put elsewhere than where it is drawn. */
export function atOnce(render: () => string): string {
  const before = state.current;
  state.current = undefined;
  try {
    return render();
  } finally {
    state.current = before;
  }
}

/** For the kernel: what `render` gives, cut where parts stand that are still to be made. */
export function withoutTurns(render: () => string): readonly (string | Pieces)[] {
  const before = state.current;
  const parts: Pieces[] = (state.current = []);
  try {
    const html = render();
    // at the odd places are the numbers
    return parts.length === 0 ? [html] : html.split(places).map((one, at) => (at % 2 ? parts[Number(one)]! : one));
  } finally {
    state.current = before;
  }
}
