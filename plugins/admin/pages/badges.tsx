import type { VNode } from 'preact';
import type { BadgeRow } from '../models/badge.js';
import { t } from '../texts/index.js';

const BadgeList = ({ badges }: { badges: readonly BadgeRow[] }): VNode => (
  <section class="border-top mt-3 pt-3" aria-label={t('badges.title')}>
    <h2 class="f5 mb-2">{t('badges.title')}</h2>
    <ul class="list-style-none d-flex flex-wrap gap-2">
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

/** Badges of an account, on its profile page. */
export const badgeList = (badges: readonly BadgeRow[]): VNode | null =>
  badges.length === 0 ? null : <BadgeList badges={badges} />;
