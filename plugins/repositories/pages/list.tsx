import type { VNode } from 'preact';
import { Ago, Blankslate, formatNumber, icon, textOf, type Site } from '@mortise/plugin-sdk';
import type { Repository, RepositoryCounter } from '../api.js';
import { t } from '../texts/index.js';

const colors: Readonly<Record<string, string>> = {
  JavaScript: '#f1e05a',
  TypeScript: '#3178c6',
  Python: '#3572a5',
  Go: '#00add8',
  Rust: '#dea584',
  Java: '#b07219',
  C: '#555555',
  'C++': '#f34b7d',
  Ruby: '#701516',
  PHP: '#4f5d95',
  Shell: '#89e051',
  HTML: '#e34c26',
  CSS: '#663399',
  Kotlin: '#a97bff',
  Swift: '#f05138',
};

/** The colour of a language; one that has none of its own gets one from its name. */
export const languageColor = (name: string) =>
  colors[name] ?? `hsl(${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0) * 37, 0) % 360} 55% 50%)`;

/** Private, template, archived: what a repository is. */
export function Kind({ repository }: { repository: Repository }): VNode {
  const words = [
    t(repository.isPrivate ? 'repo.private' : 'repo.public'),
    repository.isTemplate ? t('repo.template') : '',
    repository.isArchived ? t('repo.archived') : '',
  ].filter(Boolean);
  return (
    <span class={`Label ${repository.isArchived ? 'Label--attention' : 'Label--secondary'} v-align-middle`}>
      {words.join(' · ')}
    </span>
  );
}

export function Topics({ topics, site }: { topics: readonly string[]; site: Site }): VNode {
  return (
    <span>
      {topics.map((topic) => (
        <a
          class="Label Label--accent mr-1 mb-1 no-underline"
          href={site.path(`/explore/repos?q=${encodeURIComponent(topic)}&topic=1`)}
        >
          {topic}
        </a>
      ))}
    </span>
  );
}

/** Repositories with languages, stars and the time of the last change. */
export function RepositoryList(props: {
  repositories: readonly Repository[];
  site: Site;
  avatarUrl: (repository: Repository) => string;
  counters: readonly RepositoryCounter[];
}): VNode {
  const { repositories, site, avatarUrl, counters } = props;
  if (repositories.length === 0)
    return (
      <Blankslate title={t('list.none')} icon="repo" plain>
        <p>{t('list.noneNote')}</p>
      </Blankslate>
    );
  return (
    <ul class="list-style-none">
      {repositories.map((repository) => {
        const picture = avatarUrl(repository);
        return (
          <li class="py-3 border-bottom color-border-muted d-flex gap-2">
            {picture ? <img class="avatar" src={picture} width={40} height={40} alt="" loading="lazy" /> : null}
            <div class="flex-auto min-width-0">
              <h2 class="f4 mb-1 wb-break-word">
                <a class="text-bold" href={site.path(`/${repository.ownerName}/${repository.name}`)}>
                  {repository.ownerName} / {repository.name}
                </a>{' '}
                <Kind repository={repository} />
              </h2>
              {repository.description ? (
                <p class="color-fg-muted mb-2 wb-break-word">{repository.description}</p>
              ) : null}
              {repository.topics.length ? (
                <p class="mb-2">
                  <Topics topics={repository.topics} site={site} />
                </p>
              ) : null}
              <p class="f6 color-fg-muted mb-0">
                {repository.language ? (
                  <span class="mr-3 d-inline-block">
                    <svg class="language-dot" width="10" height="10" aria-hidden="true">
                      <circle cx="5" cy="5" r="5" fill={languageColor(repository.language)} />
                    </svg>{' '}
                    {repository.language}
                  </span>
                ) : null}
                {repository.licenses.length ? (
                  <span class="mr-3 d-inline-block">
                    {icon('law')} {repository.licenses.join(', ')}
                  </span>
                ) : null}
                {counters.map((counter) => (
                  <span class="mr-3 d-inline-block">
                    {icon(counter.icon, { label: textOf(counter.label) })} {formatNumber(counter.count(repository))}
                  </span>
                ))}
                <span class="d-inline-block">
                  {t.rich('list.updated', { when: <Ago time={repository.updatedAt} /> })}
                </span>
              </p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
