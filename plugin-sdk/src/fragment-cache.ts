import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { currentLanguage, type Language } from './language.js';

interface FragmentCacheProps {
  /** Unique among the fragments of all plugins: `files.clone`. */
  readonly name: string;
  /** All that the fragment depends on beside the language: ids, names, numbers, addresses, rights. */
  readonly cacheKey: string;
  /** Nothing that belongs to one visitor alone: no `csrf`, and no flash. */
  readonly children: () => VNode;
}

/** Characters of one fragment, and of all of one language; the oldest are evicted first. */
const maxFragment = 64 << 10;
const maxTotal = 4 << 20;

/** Shared by all installed copies of the SDK, as the language is. */
const state = ((globalThis as Record<symbol, unknown>)[Symbol.for('mortise.fragmentCache')] ??= {
  drawings: new WeakMap(),
}) as { readonly drawings: WeakMap<Language, Fragments>; render?: (node: VNode) => string };

/** A flat string: V8 would flatten a concatenation again with each page that it is part of. */
const flat = (text: string): string => Buffer.from(text).toString();

class Fragments {
  #size = 0;
  readonly #html = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#html.get(key);
  }

  set(key: string, html: string): void {
    const size = key.length + html.length;
    if (size > maxFragment) return;
    this.#html.set(key, html);
    this.#size += size;
    for (const [oldest, drawing] of this.#html) {
      if (this.#size <= maxTotal) return;
      this.#html.delete(oldest);
      this.#size -= oldest.length + drawing.length;
    }
  }
}

/**
 * Caches the HTML of a part of a page that is the same for many visitors, by `cacheKey` and language. Worth it from a dozen
 * elements on. What changes with time needs a rounded time in its `cacheKey`.
 */
export function FragmentCache({ name, cacheKey, children }: FragmentCacheProps): VNode {
  // rendered outside the kernel, such as in a test
  if (!state.render) return children();
  const language = currentLanguage(`the part ${name}`);
  let drawings = state.drawings.get(language);
  if (!drawings) state.drawings.set(language, (drawings = new Fragments()));
  const key = `${name}\0${cacheKey}`;
  let html = drawings.get(key);
  if (html === undefined) drawings.set(key, (html = flat(state.render(children()))));
  return jsxTemplate([html]);
}

/** For the kernel: the function that renders what {@link FragmentCache} holds. */
export function setFragmentRenderer(render: (node: VNode) => string): void {
  state.render = render;
}
