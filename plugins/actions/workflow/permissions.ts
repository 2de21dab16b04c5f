import type { DeclaredPermissions, Mode, PermissionTable, Unit } from './types.js';
import { isMap, type Value } from './values.js';

const units: readonly Unit[] = [
  'code',
  'releases',
  'issues',
  'pull-requests',
  'packages',
  'actions',
  'wiki',
  'projects',
];

/** Accepted without an effect on units. */
const others =
  'artifact-metadata attestations checks deployments id-token models discussions pages security-events statuses';

/** Keys that a mapping of `permissions:` may have. */
export const permissionKeys: ReadonlySet<string> = new Set([...units, 'contents', ...others.split(' ')]);

const modes: readonly Mode[] = ['none', 'read', 'write'];

/** A table made by asking for each unit. */
const tableOf = (mode: (unit: Unit) => Mode): PermissionTable =>
  Object.fromEntries(units.map((unit) => [unit, mode(unit)])) as PermissionTable;

const least = (a: Mode, b: Mode): Mode => modes[Math.min(modes.indexOf(a), modes.indexOf(b))]!;
const maximum = (a: Mode, b: Mode): Mode => modes[Math.max(modes.indexOf(a), modes.indexOf(b))]!;
const modeOf = (value: Value | undefined): Mode => (value === 'read' || value === 'write' ? value : 'none');

/** `permissions:`; whatever is neither `read-all`, `write-all` nor a mapping gives nothing. */
export function declaredPermissions(value: Value): DeclaredPermissions {
  if (value === 'read-all') return { units: tableOf(() => 'read'), idToken: false };
  if (value === 'write-all') return { units: tableOf(() => 'write'), idToken: true };
  if (!isMap(value)) return { units: tableOf(() => 'none'), idToken: false };
  const own = (key: string) => (Object.hasOwn(value, key) ? value[key] : undefined);
  const contents = modeOf(own('contents'));
  return {
    units: tableOf((unit) => {
      const named = own(unit);
      if (named === undefined && (unit === 'code' || unit === 'releases')) return contents;
      return modeOf(named);
    }),
    idToken: own('id-token') === 'write',
  };
}

const restricted = tableOf((unit) => (unit === 'code' || unit === 'packages' || unit === 'releases' ? 'read' : 'none'));

/** What the token of a job may in a repository. */
export function effectivePermissions(input: {
  /** What the job, or else its workflow, declares. */
  readonly declared?: DeclaredPermissions;
  readonly mode: 'permissive' | 'restricted';
  /** Of the configuration in force. */
  readonly ceiling?: PermissionTable;
  /** A pull request from a fork, or a repository other than the job's. */
  readonly isForkOrOther: boolean;
  /** Of the other repository. */
  readonly targetCeiling?: PermissionTable;
  /** Units of the repository that anyone may read. */
  readonly readableByAnyone?: readonly Unit[];
}): PermissionTable {
  const { declared, mode, ceiling, isForkOrOther, targetCeiling, readableByAnyone } = input;
  return tableOf((unit) => {
    let allowed: Mode = declared?.units[unit] ?? (mode === 'permissive' ? 'write' : restricted[unit]);
    if (ceiling) allowed = least(allowed, ceiling[unit]);
    if (isForkOrOther) allowed = least(allowed, restricted[unit]);
    if (targetCeiling) allowed = least(allowed, targetCeiling[unit]);
    return readableByAnyone?.includes(unit) ? maximum(allowed, 'read') : allowed;
  });
}
