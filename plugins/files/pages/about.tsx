import type { ComponentChildren, VNode } from 'preact';
import { formatSize, icon } from '@mortise/plugin-sdk';
import { encodePath, type RevisionView } from '@mortise/history/api';
import { type PageServices } from './services.js';

/** The column beside the files: description, topics, languages, downloads, and what other plugins add. */
export function About({
  services,
  view,
  bytes,
  children,
}: {
  services: PageServices;
  view: RevisionView;
  bytes: Readonly<Record<string, number>>;
  children: ComponentChildren;
}): VNode {
  const { repository } = view;
  const { site } = services;
  return (
    <aside style="flex: 0 0 260px; min-width: 0" class="mt-3 mt-lg-0">
      <section class="mb-3">
        <h2 class="f5 mb-2">About</h2>
        <p class={repository.description ? 'wb-break-word' : 'color-fg-muted'}>
          {services.markup.emojify(repository.description) || 'No description.'}
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
        <p class="mt-2">
          {icon('database')} {formatSize(repository.sizeBytes)}
        </p>
      </section>
      {children}
      <Languages bytes={bytes} color={(name) => services.pages.languageColor(name)} />
      <section>
        <h2 class="f5 mb-2">Download</h2>
        <div class="BtnGroup">
          {(['zip', 'tar.gz', 'bundle'] as const).map((form) => (
            <a
              class="btn btn-sm BtnGroup-item"
              rel="nofollow"
              href={`${view.home}/archive/${encodePath(view.revision.name)}.${form}`}
            >
              {form.toUpperCase()}
            </a>
          ))}
        </div>
      </section>
    </aside>
  );
}

function Languages({
  bytes,
  color,
}: {
  bytes: Readonly<Record<string, number>>;
  color: (name: string) => string;
}): VNode | null {
  const all = Object.entries(bytes).sort(([, one], [, other]) => other - one);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return null;
  const shown = all.slice(0, 8);
  const percent = (count: number) => ((100 * count) / total).toFixed(1);
  return (
    <section class="mb-3">
      <h2 class="f5 mb-2">Languages</h2>
      <div class="Progress mb-2" aria-hidden="true">
        {shown.map(([name, count]) => (
          <span class="Progress-item" style={`width: ${percent(count)}%; background: ${color(name)}`} />
        ))}
      </div>
      <ul class="list-style-none f6">
        {shown.map(([name, count]) => (
          <li class="d-inline-block mr-3">
            <span class="d-inline-block circle mr-1" style={`width: 8px; height: 8px; background: ${color(name)}`} />
            <strong>{name}</strong> <span class="color-fg-muted">{percent(count)} %</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
