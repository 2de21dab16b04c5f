import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { identityOf, type MemoryCache } from './cache.js';
import { withCsrf } from './csrf.js';
import { currentLanguage } from './language.js';

interface FragmentCacheProps {
  /** Unique among the fragments of all plugins: `files.clone`. */
  readonly name: string;
  /** All that the fragment depends on beside the language: ids, names, numbers, addresses, rights. */
  readonly cacheKey: string;
  /** Nothing that belongs to one visitor alone: no form that is sent by POST, which is refused, and no flash. */
  readonly children: () => VNode;
}

interface FragmentRenderer {
  render(node: VNode): string;
  readonly cache: MemoryCache<string>;
}

/** Shared by all installed copies of the SDK, as the language is. */
const state = ((globalThis as Record<symbol, unknown>)[Symbol.for('mortise.fragmentCache')] ??= {}) as {
  renderer?: FragmentRenderer | undefined;
};

/** A flat string: V8 would flatten a concatenation again with each page that it is part of. */
const flat = (text: string): string => Buffer.from(text).toString();

/**
 * Caches the HTML of a part of a page that is the same for many visitors, by `cacheKey` and language. Worth it from a dozen
 * elements on. What changes with time needs a rounded time in its `cacheKey`.
 */
export function FragmentCache({ name, cacheKey, children }: FragmentCacheProps): VNode {
  // rendered outside the kernel, such as in a test
  if (!state.renderer) return children();
  const { cache, render } = state.renderer;
  const language = currentLanguage(`the part ${name}`);
  const key = `${name} ${identityOf(language)} ${cacheKey}`;
  let html = cache.get(key);
  if (html === undefined) cache.set(key, (html = flat(withoutCsrf(name, () => render(children())))));
  return jsxTemplate([html]);
}

/** Others would be given the token of whoever saw the fragment first. */
const withoutCsrf = (name: string, work: () => string): string =>
  withCsrf(() => {
    throw new Error(`the part ${name} is cached for many visitors: no form in it can have a token`);
  }, work);

/** For the kernel: what renders and stores the fragments of {@link FragmentCache}; undefined: nothing is stored. */
export function setFragmentRenderer(renderer: FragmentRenderer | undefined): void {
  state.renderer = renderer;
}
