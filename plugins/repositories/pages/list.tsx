import type { VNode } from 'preact';
import { Ago, Blankslate, formatNumber, icon, textOf, type Site } from '@mortise/plugin-sdk';
import type { Repository } from '../api.js';
import type { RepositoryCounter } from '../contract/pages.js';
import { t } from '../texts/index.js';

/** Of a language that has no colour of its own: one from its name. */
export const languageColorOf = (name: string) =>
  `hsl(${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0) * 37, 0) % 360} 55% 50%)`;

/** Private, template, archived: what a repository is. */
export function Kind({ repository }: { repository: Repository }): VNode {
  const words = [
    t(repository.isPrivate ? 'repo.private' : 'repo.public'),
    repository.isTemplate ? t('repo.template') : '',
    repository.mirror ? t('repo.mirror') : '',
    repository.isArchived ? t('repo.archived') : '',
  ].filter(Boolean);
  return (
    <span class={`Label ${repository.isArchived ? 'Label--attention' : 'Label--secondary'} v-align-middle`}>
      {words.join(' · ')}
    </span>
  );
}

function Topics({ topics, site }: { topics: readonly string[]; site: Site }): VNode {
  return (
    <span>
      {topics.map((topic) => (
        <a class="topic-tag topic-tag-link" href={site.path(`/explore/repos?q=${encodeURIComponent(topic)}&topic=1`)}>
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
  languageColor: (name: string) => string;
  emojify: (text: string) => string;
  /** Nothing was searched for: an empty list means that there are none. */
  isWhole?: boolean;
}): VNode {
  const { repositories, site, avatarUrl, counters, languageColor, emojify, isWhole } = props;
  if (repositories.length === 0)
    return (
      <Blankslate title={t(isWhole ? 'list.empty' : 'list.none')} icon="repo" plain>
        {isWhole ? null : <p>{t('list.noneNote')}</p>}
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
                <p class="color-fg-muted mb-2 wb-break-word">{emojify(repository.description)}</p>
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
