import { defineService } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';

/** Group of a login source → name of the organization → names of its teams. */
export type GroupTeamMap = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Teams that people are in because a login source knows them in a group. */
export interface GroupTeams {
  /**
   * Puts a person into the teams of their groups; `removes`: also out of all other teams that the map names. Organizations
   * and teams that do not exist are left out. The last owner stays.
   *
   * @param groups spelled as in the map
   */
  apply(
    account: Account,
    groups: readonly string[],
    map: GroupTeamMap,
    options?: { readonly removes?: boolean },
  ): Promise<void>;
}
export const groupTeams = defineService<GroupTeams>('organizations.groupTeams');
