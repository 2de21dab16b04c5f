import type { Organizations, Teams } from '@mortise/organizations/api';
import type { OAuth2Groups } from '../contract/oauth2-provider.js';

/** More than a token should carry. */
const maxTeams = 1000;

interface Deps {
  readonly organizations: Pick<Organizations, 'byIds'>;
  readonly teams: Pick<Teams, 'search'>;
}

/** Organizations and teams of a person, as applications know them: `works`, `works:crew`. Everybody is in a team. */
export const groupNames = ({ organizations, teams }: Deps): OAuth2Groups => ({
  key: 'organizations',
  async groups({ id }, { publicOnly }) {
    const { items } = await teams.search({ memberId: id, publicOnly, limit: maxTeams, offset: 0 });
    const known = await organizations.byIds([...new Set(items.map((team) => team.organizationId))]);
    const names = new Set<string>();
    for (const { organizationId, lowerName } of items) {
      const name = known.get(organizationId)?.account.name;
      if (name === undefined) continue;
      names.add(name);
      names.add(`${name}:${lowerName}`);
    }
    return [...names];
  },
});
