import { paletteItemsOf, Problem, type MenuEntry, type PaletteSource } from '@mortise/plugin-sdk';
import type { Repository, RepositoryAccess } from '../api.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly access: Pick<RepositoryAccess, 'open'>;
  readonly layout: { settingsEntries(repository: Repository): readonly MenuEntry[] };
}

/** Settings of the repository whose page is open, for those who may change them. */
export const settingsPalette = ({ access, layout }: Deps): PaletteSource => ({
  key: 'repository-settings',
  label: t.later('palette.settings'),
  order: 40,
  isMenu: true,
  async find({ actor, path }) {
    const [owner, name] = path.split('/').slice(1);
    if (!owner || !name || actor.kind !== 'user') return [];
    try {
      const { repository } = await access.open({ actor, owner, name, mode: 'admin' });
      return paletteItemsOf(layout.settingsEntries(repository));
    } catch (error) {
      // the page is of no repository, or of one that the actor may not change
      if (Problem.is(error)) return [];
      throw error;
    }
  },
});
