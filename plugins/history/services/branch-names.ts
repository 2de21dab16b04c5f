import type { PointReader } from '@mortise/plugin-sdk';
import type { RenamedBranches } from '../contract/renamed-branches.js';

/** Asks those who remember names of branches, one after the other. */
export const firstNewName = (histories: PointReader<RenamedBranches>): RenamedBranches => ({
  async newName(repositoryId, name) {
    for (const history of histories.list()) {
      const newName = await history.newName(repositoryId, name);
      if (newName !== undefined) return newName;
    }
    return undefined;
  },
});
