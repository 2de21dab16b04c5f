import type { Teams } from '@mortise/organizations/api';
import type { TeamFinder } from './services.js';

/** Teams as those may know of them who search. */
export const findTeam = ({ teams }: { readonly teams: Teams }): TeamFinder => ({
  async find(name, organization, actor) {
    const search = { organizationId: organization.id, names: [name], visibleTo: actor, limit: 1, offset: 0 };
    return (await teams.search(search)).items[0]?.id;
  },
});
