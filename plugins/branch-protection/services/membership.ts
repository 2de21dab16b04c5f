import type { Actor, PointReader } from '@mortise/plugin-sdk';
import type { NamedList, ProtectionTeams } from '../contract/branch-protection.js';

/** Who stands on lists, by account or by team. */
export class Membership {
  constructor(private readonly teams: PointReader<ProtectionTeams>) {}

  async has(list: NamedList, actor: Actor): Promise<boolean> {
    if (actor.kind !== 'user' || actor.id <= 0) return false;
    if (list.users.includes(actor.id)) return true;
    return list.teams.length > 0 && (await this.membersAmong(list, [actor.id])).has(actor.id);
  }

  /** Of these accounts, those on the list. */
  async membersAmong(list: NamedList, userIds: readonly number[]): Promise<Set<number>> {
    const members = new Set(userIds.filter((id) => list.users.includes(id)));
    const rest = userIds.filter((id) => !members.has(id));
    if (list.teams.length > 0 && rest.length > 0) {
      for (const directory of this.teams.list())
        for (const id of await directory.membersAmong(list.teams, rest)) members.add(id);
    }
    return members;
  }
}
