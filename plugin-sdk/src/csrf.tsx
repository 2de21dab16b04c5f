import type { VNode } from 'preact';

/** What pages, their parts and {@link Csrf} were given before the token was known while a page is rendered. */
export interface GivenCsrf {
  /**
   * Token of the forms of this page.
   *
   * @deprecated since 1.2.0: {@link Csrf} and `PostButton` know it, and {@link csrfToken} gives it to what is no form
   */
  readonly csrf: string;
}

/** Shared by all installed copies of the SDK, as the language is. */
const state = ((globalThis as Record<symbol, unknown>)[Symbol.for('mortise.csrf')] ??= {}) as {
  token?: (() => string) | undefined;
};

/**
 * For the kernel: `work` renders forms with this token, which is made when the first of them asks. As with `inLanguage`,
 * `work` is synchronous and the scope ends when it returns, so nothing that goes on later can take the token of another visitor.
 */
export function withCsrf<T>(token: () => string, work: () => T): T {
  const before = state.token;
  state.token = token;
  try {
    const result = work();
    if (result instanceof Promise)
      throw new Error('withCsrf ends when its work returns: do the asynchronous part before');
    return result;
  } finally {
    state.token = before;
  }
}

/**
 * The token of the visitor whose page is being rendered, for what sends it otherwise than by a form: in a `data-csrf` that
 * an island reads. Forms hold a {@link Csrf}.
 *
 * @throws Error while no page is being rendered, and within a `FragmentCache`
 */
export function csrfToken(): string {
  if (!state.token) throw new Error('the token of forms is known while a page is rendered: ask for it in a component');
  return state.token();
}

/** The hidden field that proves a form is ours. `token` is read where no page is being rendered, as in tests of old plugins. */
export const Csrf = ({ token }: { /** @deprecated since 1.2.0, as {@link GivenCsrf} */ token?: string }): VNode => (
  <input type="hidden" name="_csrf" value={state.token || token === undefined ? csrfToken() : token} />
);
