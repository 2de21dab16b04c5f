import type { VNode } from 'preact';
import type { BadgeRow } from '../models/badges.js';

/** Badges of an account, on its profile page. */
export const BadgeList = ({ badges }: { badges: readonly BadgeRow[] }): VNode | null =>
  badges.length === 0 ? null : (
    <section class="border-top mt-3 pt-3" aria-label="Badges">
      <h2 class="f5 mb-2">Badges</h2>
      <ul class="list-style-none d-flex flex-wrap" style="gap:8px">
        {badges.map(({ slug, description, image_url }) => (
          <li key={slug}>
            {image_url ? (
              <img
                src={image_url}
                alt={description || slug}
                title={description || slug}
                width="48"
                height="48"
                loading="lazy"
              />
            ) : (
              <span class="Label Label--large" title={description || undefined}>
                {slug}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
