import type { ComponentChildren, VNode } from 'preact';
import { formatSize, icon } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { encodePath, type RevisionView } from '@mortise/history/api';
import { type PageServices } from './services.js';

/** Addresses to clone; SSH where something serves it. */
export function CloneBox({ http, ssh }: { http: string; ssh?: string }): VNode {
  const address = (label: string, value: string) => (
    <div class="input-group mb-2" style="width: 100%">
      <input
        class="form-control input-sm input-monospace"
        readOnly
        value={value}
        aria-label={`Address to clone over ${label}`}
      />
      <span class="input-group-button">
        <button class="btn btn-sm" type="button" data-copy={value} aria-label={`Copy the ${label} address`} hidden>
          {icon('copy')}
        </button>
      </span>
    </div>
  );
  return (
    <details class="position-relative d-inline-block code-clone">
      <summary class="btn btn-sm btn-primary">
        {icon('code')} Code {icon('triangle-down')}
      </summary>
      <div class="code-menu code-menu-right Box position-absolute mt-1 p-3 color-shadow-large">
        <h2 class="f6 mb-1">HTTPS</h2>
        {address('HTTPS', http)}
        {ssh ? <h2 class="f6 mb-1">SSH</h2> : null}
        {ssh ? address('SSH', ssh) : null}
      </div>
    </details>
  );
}

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

/** How to begin, shown while there is no branch. */
export function EmptyRepository({
  repository,
  clone,
  ssh,
  actions,
}: {
  repository: Repository;
  clone: string;
  ssh: string;
  actions: ComponentChildren;
}): VNode {
  const block = (title: string, lines: readonly string[]) => (
    <div class="Box-row">
      <h3 class="f4 mb-2">{title}</h3>
      <pre class="mb-0 code-scroll" tabIndex={0}>
        {lines.join('\n')}
      </pre>
    </div>
  );
  const push = [`git remote add origin ${clone}`, `git push -u origin ${repository.defaultBranch}`];
  return (
    <div class="Box">
      <div class="Box-header d-flex flex-wrap" style="gap: 8px">
        <h2 class="Box-title flex-auto">The repository is empty</h2>
        {actions}
      </div>
      <div class="Box-row">
        {[clone, ssh].filter(Boolean).map((address) => (
          <div class="input-group mb-2" style="max-width: 560px">
            <input
              class="form-control input-sm input-monospace"
              readOnly
              value={address}
              aria-label="Address to clone"
            />
            <span class="input-group-button">
              <button class="btn btn-sm" type="button" data-copy={address} hidden>
                Copy
              </button>
            </span>
          </div>
        ))}
      </div>
      {block('Start a new project', [
        `echo "# ${repository.name}" > README.md`,
        `git init -b ${repository.defaultBranch}`,
        'git add README.md',
        'git commit -m "First commit"',
        ...push,
      ])}
      {block('Push what you have', push)}
    </div>
  );
}
