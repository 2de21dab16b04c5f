import type { VNode } from 'preact';
import { icon, type Actor, type Site, type Slot } from '@mortise/plugin-sdk';
import { repositoryHome, type Repositories, type Repository, type RepositoryAccess } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

const maxShown = 20;

/** On the page of a new repository: the templates that the user may begin with, the newest first. */
export const templateList = ({
  repositories,
  repositoryAccess,
  site,
}: {
  readonly repositories: Pick<Repositories, 'search'>;
  readonly repositoryAccess: Pick<RepositoryAccess, 'contexts'>;
  readonly site: Site;
}): Slot<{ readonly actor: Actor }> & { readonly key: string } => ({
  key: 'templates',
  order: 10,
  async render({ actor }) {
    const { items, total } = await repositories.search(
      { isTemplate: true, sort: 'updated', descending: true, limit: maxShown, offset: 0 },
      actor,
    );
    const rights = await repositoryAccess.contexts(actor, items);
    const templates = items.filter(({ id }) => rights.get(id)?.may('read', 'code'));
    return templates.length === 0 ? null : (
      <Templates templates={templates} hasMore={total > items.length} site={site} />
    );
  },
});

const Templates = (props: { templates: readonly Repository[]; hasMore: boolean; site: Site }): VNode => (
  <details class="mt-2 mb-3 Box p-3">
    <summary class="text-bold">{t('templates.title', { count: props.templates.length })}</summary>
    <ul class="list-style-none mt-2">
      {props.templates.map((template) => (
        <li class="py-1 wb-break-word" key={template.id}>
          {icon('repo-template', { class: 'color-fg-muted' })}{' '}
          <a href={`${repositoryHome(props.site, template)}/generate`}>
            {template.ownerName}/<strong>{template.name}</strong>
          </a>
          <div class="f6 color-fg-muted">{template.description}</div>
        </li>
      ))}
    </ul>
    {props.hasMore ? <p class="f6 color-fg-muted mt-2">{t('templates.more')}</p> : null}
  </details>
);
