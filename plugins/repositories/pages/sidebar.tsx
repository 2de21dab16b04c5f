import { icon, type Site, type Slot } from '@mortise/plugin-sdk';
import type { RepositoryPageContext } from '../api.js';
import { t } from '../texts/index.js';

type SidebarSlot = Slot<RepositoryPageContext> & { readonly key: string };

const EditLabel = () => <>{t('layout.edit')}</>;

/** Where to edit what the page says about the repository. */
export function aboutSlot(site: Site): SidebarSlot {
  return {
    key: 'repositories.about',
    order: 5,
    render({ context }) {
      const { repository } = context;
      if (!context.may('admin')) return null;
      return (
        <p class="mb-3">
          <a class="Link--secondary f6" href={site.path(`/${repository.ownerName}/${repository.name}/settings`)}>
            {icon('pencil')} <EditLabel />
          </a>
        </p>
      );
    },
  };
}
