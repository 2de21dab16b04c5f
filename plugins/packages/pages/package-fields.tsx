import type { VNode } from 'preact';

/** Parts that the pages of formats share. */

/** Where a package is at home on the web; nothing for any other address. */
export const Homepage = ({
  address,
  inline = false,
}: {
  readonly address: unknown;
  /** Within a sentence. */
  readonly inline?: boolean;
}): VNode | null => {
  if (typeof address !== 'string' || !/^https?:\/\//i.test(address)) return null;
  const link = (
    <a href={address} rel="nofollow noopener">
      {address}
    </a>
  );
  return inline ? link : <p>{link}</p>;
};

/** What a version needs: as one text, or as a name with the versions that suit. */
type Dependency = string | { readonly name: string; readonly range?: unknown };

export const Dependencies = ({
  title,
  of: list,
}: {
  readonly title: string;
  readonly of: readonly Dependency[];
}): VNode | null =>
  list.length > 0 ? (
    <section class="mb-3">
      <h3 class="h5">{title}</h3>
      <ul class="ml-3">
        {list.map((one, at) => (
          <li key={at}>
            {typeof one === 'string' ? (
              one
            ) : (
              <>
                {one.name} <span class="color-fg-muted">{String(one.range ?? '')}</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  ) : null;
