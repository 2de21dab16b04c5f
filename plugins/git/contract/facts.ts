/** What travels with a change of references, from whoever asks for it to its checks and to those who hear of it. */

declare const only: unique symbol;
/**
 * Facts of one change, as JSON: they are kept in the journal and in the event, so they are there after a kill too. Read
 * and written through a {@link Fact} only.
 */
export interface Facts {
  readonly [only]: never;
}

/** One kind of fact, with the type of its value, which must survive `JSON.stringify`. */
export interface Fact<T> {
  readonly key: string;
  /** Facts with this one, besides those that there are. */
  with(value: T, besides?: Facts): Facts;
  /** The value; undefined where the change has none of this kind. */
  of(change: { readonly facts?: Facts }): T | undefined;
}

/**
 * A kind of fact. The key is unique in the whole site and stays for ever, since events may be delivered after an upgrade;
 * begin it with the name of the plugin: `pulls.merge`.
 */
export function defineFact<T>(key: string): Fact<T> {
  return {
    key,
    with: (value, besides) => ({ ...besides, [key]: value }) as unknown as Facts,
    of: ({ facts }) => (facts && Object.hasOwn(facts, key) ? (facts as unknown as Record<string, T>)[key] : undefined),
  };
}
