import type { VNode } from 'preact';

/** Parts that the pages of formats share. */

/** Where a package is at home on the web; nothing for any other address. */
export const Homepage = ({ address }: { readonly address: unknown }): VNode | null =>
  typeof address === 'string' && /^https?:\/\//i.test(address) ? (
    <p>
      <a href={address} rel="nofollow noopener">
        {address}
      </a>
    </p>
  ) : null;

/** What a version needs: as one text, or as a name with the versions that suit. */
export type Dependency = string | { readonly name: string; readonly range?: unknown };

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
