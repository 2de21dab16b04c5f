import { defineService, Joi } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';

/** Group of a login source → name of the organization → names of its teams. */
export type GroupTeamMap = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const groupTeamMap = Joi.object<GroupTeamMap>().pattern(
  Joi.string(),
  Joi.object().pattern(Joi.string(), Joi.array().items(Joi.string())),
);

/** The map that a setting of a login source holds as JSON. Throws for what is none; empty for an empty text. */
export function parseGroupTeamMap(json: string): GroupTeamMap {
  if (json.trim() === '') return {};
  const checked = groupTeamMap.validate(JSON.parse(json), { convert: false });
  if (checked.error) throw checked.error;
  return checked.value as GroupTeamMap;
}

/** A setting that {@link parseGroupTeamMap} reads. */
export const groupTeamMapText = Joi.string()
  .allow('')
  .trim()
  .max(65_536)
  .default('')
  .custom((value: string, helpers) => {
    try {
      parseGroupTeamMap(value);
    } catch {
      return helpers.error('any.invalid');
    }
    return value;
  });

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
