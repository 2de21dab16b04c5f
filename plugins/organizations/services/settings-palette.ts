import { paletteItemsOf, type PaletteSource, type PointReader, type Site } from '@mortise/plugin-sdk';
import type { Accounts, Memberships } from '@mortise/accounts/api';
import type { OrganizationSettingsEntry } from '../contract/pages.js';
import { organizationBase } from '../pages/components.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly accounts: Pick<Accounts, 'byName'>;
  readonly memberships: Pick<Memberships, 'isOwner'>;
  readonly menu: PointReader<OrganizationSettingsEntry>;
  readonly site: Site;
}

/** Settings of the organization whose page is open, `/{name}` or `/org/{name}/…`, for those who decide for it. */
export const settingsPalette = ({ accounts, memberships, menu, site }: Deps): PaletteSource => ({
  key: 'organization-settings',
  label: t.later('palette.settings'),
  order: 50,
  isMenu: true,
  async find({ actor, path }) {
    const [first, second] = path.split('/').slice(1);
    const name = first === 'org' ? second : first;
    if (!name || actor.kind !== 'user') return [];
    const account = await accounts.byName(name);
    if (account?.kind !== 'organization' || !(await memberships.isOwner(actor, account))) return [];
    const base = `${organizationBase((to) => site.path(to), account)}/settings`;
    return paletteItemsOf(
      menu.list().map((entry) => ({ ...entry, href: entry.href ? `${base}/${entry.href}` : base })),
    );
  },
});
