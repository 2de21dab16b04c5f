import type { ComponentChildren, VNode } from 'preact';
import { FragmentCache, LazyFragment, formatPercent, formatSize, icon } from '@mortise/plugin-sdk';
import { at, encodePath, type RevisionView } from '@mortise/history/api';
import { t } from '../texts/index.js';
import { type PageDeps } from './page-deps.js';

/** The column beside the files: description, topics, languages, downloads, and what other plugins add. */
export function About({
  services,
  view,
  bytes,
  children,
}: {
  services: PageDeps;
  view: RevisionView;
  /** By language; undefined: not counted yet. */
  bytes: Readonly<Record<string, number>> | undefined;
  children: ComponentChildren;
}): VNode {
  const { description, website, topics, licenses, sizeBytes } = view.repository;
  return (
    <aside class="code-about mt-3 mt-lg-0">
      <FragmentCache name="files.about" cacheKey={JSON.stringify([description, website, topics, licenses, sizeBytes])}>
        {() => <RepositorySummary services={services} repository={view.repository} />}
      </FragmentCache>
      {children}
      <Languages view={view} bytes={bytes} color={(name) => services.pages.languageColor(name)} />
      {services.pages.offersArchives ? (
        <FragmentCache name="files.download" cacheKey={JSON.stringify([view.repositoryPath, view.revision.name])}>
          {() => <Downloads view={view} />}
        </FragmentCache>
      ) : null}
    </aside>
  );
}

function RepositorySummary({
  services,
  repository,
}: {
  services: PageDeps;
  repository: RevisionView['repository'];
}): VNode {
  const { site } = services;
  return (
    <section class="mb-3">
      <h2 class="f5 mb-2">{t('about.title')}</h2>
      <p class={repository.description ? 'wb-break-word' : 'color-fg-muted'}>
        {services.markup.emojify(repository.description) || t('about.noDescription')}
      </p>
      {repository.website && /^https?:/.test(repository.website) ? (
        <p class="wb-break-word">
          {icon('link')}{' '}
          <a href={repository.website} rel="nofollow noopener">
            {repository.website}
          </a>
        </p>
      ) : null}
      {repository.topics.length > 0 ? (
        <p class="mb-2">
          {repository.topics.map((topic) => (
            <a
              class="topic-tag topic-tag-link"
              href={site.path(`/explore/repos?q=${encodeURIComponent(topic)}&topic=1`)}
            >
              {topic}
            </a>
          ))}
        </p>
      ) : null}
      {repository.licenses.length > 0 ? (
        <p class="mt-2">
          {icon('law')} {repository.licenses.join(', ')}
        </p>
      ) : null}
      {/* counted after the first push, a moment later than the page may be asked for */}
      {repository.sizeBytes > 0 ? (
        <p class="mt-2">
          {icon('database')} {formatSize(repository.sizeBytes)}
        </p>
      ) : null}
    </section>
  );
}

function Downloads({ view }: { view: RevisionView }): VNode {
  return (
    <section>
      <h2 class="f5 mb-2">{t('about.download')}</h2>
      <div class="BtnGroup">
        {(['zip', 'tar.gz', 'bundle'] as const).map((form) => (
          <a
            class="btn btn-sm BtnGroup-item"
            rel="nofollow"
            href={`${view.repositoryPath}/archive/${encodePath(view.revision.name)}.${form}`}
          >
            {form.toUpperCase()}
          </a>
        ))}
      </div>
    </section>
  );
}

export function Languages({
  view,
  bytes,
  color,
}: {
  view: RevisionView;
  bytes: Readonly<Record<string, number>> | undefined;
  color: (name: string) => string;
}): VNode | null {
  if (!bytes) return <LazyFragment href={`${at(view, 'src', '')}?part=languages`} />;
  const all = Object.entries(bytes).sort(([, one], [, other]) => other - one);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return null;
  const shown = all.slice(0, 8);
  return (
    <FragmentCache name="files.languages" cacheKey={JSON.stringify([total, shown])}>
      {() => <Shares shown={shown} total={total} color={color} />}
    </FragmentCache>
  );
}

function Shares({
  shown,
  total,
  color,
}: {
  shown: readonly (readonly [name: string, bytes: number])[];
  total: number;
  color: (name: string) => string;
}): VNode {
  return (
    <section class="mb-3">
      <h2 class="f5 mb-2">{t('about.languages')}</h2>
      <Bar parts={shown.map(([name, count]) => ({ share: count / total, color: color(name) }))} />
      <ul class="list-style-none f6">
        {shown.map(([name, count]) => (
          <li class="d-inline-block mr-3">
            <Dot color={color(name)} /> <strong>{name}</strong>{' '}
            <span class="color-fg-muted">{formatPercent(count / total)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Drawn, since widths and colours that are computed would need styles within the page. */
function Bar({ parts }: { parts: readonly { readonly share: number; readonly color: string }[] }): VNode {
  let from = 0;
  return (
    <svg class="code-languages mb-2" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ share, color }) => {
        const x = from;
        from += share * 1000;
        return <rect x={x.toFixed(1)} y="0" width={(share * 1000).toFixed(1)} height="8" fill={color} />;
      })}
    </svg>
  );
}

const Dot = ({ color }: { color: string }): VNode => (
  <svg class="language-dot" width="10" height="10" aria-hidden="true">
    <circle cx="5" cy="5" r="4" fill={color} />
  </svg>
);
