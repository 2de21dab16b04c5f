import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { currentLanguage, type Language } from './language.js';

export interface KeptPartProps {
  /** Of this part among all parts of all plugins: `files.clone`. */
  readonly name: string;
  /** All that the part shows beside texts of the language: ids, names, numbers, addresses, rights. */
  readonly by: string;
  /** Nothing that belongs to one visitor alone: no `csrf`, and no flash. */
  readonly children: () => VNode;
}

/** Characters of one part, and of all of one language; whatever is older goes first. */
const maxPart = 64 << 10;
const maxAll = 4 << 20;

/** Shared by all installed copies of the SDK, as the language is. */
const state = ((globalThis as Record<symbol, unknown>)[Symbol.for('mortise.keptParts')] ??= {
  drawings: new WeakMap(),
}) as { readonly drawings: WeakMap<Language, Drawings>; render?: (node: VNode) => string };

/** In one piece: what was put together of many strings would be gone through again with each page that it is in. */
const flat = (text: string): string => Buffer.from(text).toString();

class Drawings {
  #size = 0;
  readonly #made = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#made.get(key);
  }

  keep(key: string, html: string): void {
    const size = key.length + html.length;
    if (size > maxPart) return;
    this.#made.set(key, html);
    this.#size += size;
    for (const [oldest, drawing] of this.#made) {
      if (this.#size <= maxAll) return;
      this.#made.delete(oldest);
      this.#size -= oldest.length + drawing.length;
    }
  }
}

/**
 * A part of a page that many visitors see alike: it is drawn once for each `by` and language, and its HTML kept. Worth it
 * from a dozen elements on. What changes with time shows as old as it may be by its part of `by`.
 */
export function KeptPart({ name, by, children }: KeptPartProps): VNode {
  // rendered by somebody else than the kernel, such as a test
  if (!state.render) return children();
  const language = currentLanguage(`the part ${name}`);
  let drawings = state.drawings.get(language);
  if (!drawings) state.drawings.set(language, (drawings = new Drawings()));
  const key = `${name}\0${by}`;
  let html = drawings.get(key);
  if (html === undefined) drawings.keep(key, (html = flat(state.render(children()))));
  return jsxTemplate([html]);
}

/** For the kernel: with what {@link KeptPart} is drawn. */
export function keepPartsWith(render: (node: VNode) => string): void {
  state.render = render;
}
