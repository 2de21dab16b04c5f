import type { VNode } from 'preact';
import { icon, textOf, type Text } from '@mortise/plugin-sdk';
import type { MigrationSource } from '../api.js';
import { t } from '../texts/index.js';

/** Sources in the order of the page. */
const sortSources = (sources: readonly MigrationSource[]): MigrationSource[] =>
  [...sources].sort((one, other) => (one.order ?? 100) - (other.order ?? 100) || one.key.localeCompare(other.key));

export function SourceList({
  sources,
  href,
}: {
  readonly sources: readonly MigrationSource[];
  readonly href: (path: string) => string;
}): VNode {
  return (
    <>
      <h1 class="f2 mb-1">{t('new.title')}</h1>
      <p class="color-fg-muted">{t('new.choose')}</p>
      <ul class="Box list-style-none">
        {sortSources(sources).map((source) => (
          <li key={source.key} class="Box-row d-flex flex-wrap flex-items-center gap-3">
            {icon(source.icon ?? 'repo', { size: 24 })}
            <span class="list-main">
              <a class="text-bold" href={href(`/repo/migrate?service=${encodeURIComponent(source.key)}`)}>
                {sourceText(source.label)}
              </a>
              <br />
              <span class="color-fg-muted f6">{sourceText(source.description)}</span>
            </span>
            {source.listRepositories ? (
              <a class="btn btn-sm" href={href(`/repo/migrate/owner?service=${encodeURIComponent(source.key)}`)}>
                {t('new.many')}
              </a>
            ) : null}
          </li>
        ))}
      </ul>
      <p class="mt-3">
        <a href={href('/user/migrations')}>{t('list.title')}</a>
      </p>
    </>
  );
}

/** In the visitor's language. */
export const sourceText = (text: Text): string => textOf(text);
