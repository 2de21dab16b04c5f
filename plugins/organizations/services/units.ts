import { Invalid } from '@mortise/plugin-sdk';
import { accessRank, type AccessMode, type KnownUnits, type RepositoryUnit } from '@mortise/repositories/api';
import type { Team } from '../api.js';
import type { TeamAuthorization } from '../contract/teams.js';
import { t } from '../texts/index.js';

export type UnitModes = Readonly<Record<string, AccessMode>>;

/** How the REST surface writes units. */
const prefix = 'repo.';
/** Trackers and wikis at other sites: clients know them as units of their own, and nobody can write there (ORG-09). */
const elsewhere = ['ext_issues', 'ext_wiki'];

/** The rights of teams on units, as they are stored and as the REST surface says them. */
export class TeamUnits {
  constructor(private readonly known: KnownUnits) {}

  keys(): string[] {
    return this.known.list().map(({ key }) => key);
  }

  /** Those that pages offer: what nobody can use yet only clients know. */
  offered(): readonly RepositoryUnit[] {
    return this.known.list().filter(({ isApiOnly }) => !isApiOnly);
  }

  /** `repo.code` → `code`; undefined for what is no unit, which is passed over as the compatible service does. */
  key(name: string): string | undefined {
    const key = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
    return key !== undefined && [...this.keys(), ...elsewhere].includes(key) ? key : undefined;
  }

  /** A list of units with one mode for all, or a map: the map counts. Undefined: neither was given. */
  fromApi(
    units: readonly string[] | undefined,
    map: Readonly<Record<string, string>> | undefined,
    mode: 'read' | 'write',
  ): UnitModes | undefined {
    const entries = map && Object.keys(map).length ? Object.entries(map) : units?.map((name) => [name, mode] as const);
    if (!entries?.length) return undefined;
    const modes: Record<string, AccessMode> = {};
    for (const [name, value] of entries) {
      const key = this.key(name);
      if (key) modes[key] = capped(key, value as AccessMode);
    }
    return modes;
  }

  /** Of a team that holds its level on every unit: all that there are now. */
  ofTeam({ authorization, units }: Pick<Team, 'authorization' | 'units'>): UnitModes {
    if (authorization === 'none') return units;
    return Object.fromEntries(this.keys().map((key) => [key, authorization]));
  }

  toApi(team: Team): { units: string[]; units_map: Record<string, AccessMode> } {
    const modes = Object.entries(this.ofTeam(team)).map(([key, mode]) => [`${prefix}${key}`, mode] as const);
    modes.sort(([one], [other]) => (one < other ? -1 : 1));
    return { units: modes.map(([name]) => name), units_map: Object.fromEntries(modes) };
  }
}

function capped(key: string, mode: AccessMode): AccessMode {
  return elsewhere.includes(key) && accessRank[mode] > accessRank.read ? 'read' : mode;
}

/** Nothing may be stored that no team can hold (ORG-07): on single units at most write. */
export function checkUnits(units: UnitModes): void {
  for (const mode of Object.values(units))
    if (!['none', 'read', 'write'].includes(mode)) throw Invalid(t.later('error.unitMode', { mode }));
}

export const givesAccess = (authorization: TeamAuthorization, units: UnitModes): boolean =>
  authorization !== 'none' ||
  // What lies at another site nobody can read here.
  Object.entries(units).some(([key, mode]) => mode !== 'none' && !elsewhere.includes(key));
