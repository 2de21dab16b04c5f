import type { VNode } from 'preact';
import { Csrf, formatNumber, icon, FragmentCache, type Site } from '@mortise/plugin-sdk';
import type { RepositoryButton } from '@mortise/repositories/api';
import type { StarOrWatch, StarsAndWatches } from '../contract/stars.js';
import { t } from '../texts/index.js';

const buttonStyles = {
  watch: { order: 10, page: 'watchers', on: ['eye-closed', 'button.unwatch'], off: ['eye', 'button.watch'] },
  star: { order: 20, page: 'stars', on: ['star-fill', 'button.unstar'], off: ['star', 'button.star'] },
} as const;

/** The button that stars or watches a repository and takes it back, with the number of users who do. */
export function starButton(kind: StarOrWatch, stars: StarsAndWatches, site: Site): RepositoryButton {
  const { order, page, on, off } = buttonStyles[kind];
  return {
    key: kind,
    order,
    async load({ repository }, actor) {
      return (await stars.find(kind, repository.id, actor.id)) !== undefined;
    },
    render(pageContext, base, isOn): VNode {
      const {
        context: { repository },
        actor,
      } = pageContext;
      const [glyph, label] = isOn ? on : off;
      const count = kind === 'star' ? repository.starCount : repository.watcherCount;
      const number = () => (
        <a class="btn btn-sm BtnGroup-item" href={`${base}/${page}`} aria-label={t(`button.${page}`, { count })}>
          {formatNumber(count)}
        </a>
      );
      // without a form, whose token would be another for each visitor
      if (actor.kind !== 'user')
        return (
          <FragmentCache name={`stars.${kind}`} cacheKey={`${count} ${base}`}>
            {() => (
              <span class="BtnGroup d-inline-flex">
                <a
                  class="btn btn-sm BtnGroup-item"
                  href={site.path(`/user/login?redirect_to=${encodeURIComponent(base)}`)}
                  title={t(`button.signIn.${kind}`)}
                >
                  {icon(glyph)} {t(label)}
                </a>
                {number()}
              </span>
            )}
          </FragmentCache>
        );
      return (
        <form method="post" action={`${base}/action/${isOn ? 'un' : ''}${kind}`} class="d-inline-block">
          <Csrf />
          <span class="BtnGroup d-flex">
            <button class="btn btn-sm BtnGroup-item" type="submit">
              {icon(glyph)} {t(label)}
            </button>
            {number()}
          </span>
        </form>
      );
    },
  };
}
