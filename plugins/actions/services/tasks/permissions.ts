import type { TaskMode, TaskPermissions, TaskUnit } from '../../contract/task-identity.js';
import { taskUnits } from '../../contract/task-identity.js';
import type { TokenSettings } from '../../contract/token-settings.js';
import type { DeclaredPermissions } from '../../workflow/index.js';

const rank: Readonly<Record<TaskMode, number>> = { none: 0, read: 1, write: 2 };
export const weaker = (one: TaskMode, other: TaskMode): TaskMode => (rank[one] < rank[other] ? one : other);

const table = (modeOf: (unit: TaskUnit) => TaskMode): TaskPermissions =>
  Object.fromEntries(taskUnits.map((unit) => [unit, modeOf(unit)])) as Record<TaskUnit, TaskMode>;

export const allWrite = table(() => 'write');
export const restricted = table((unit) => (['code', 'packages', 'releases'].includes(unit) ? 'read' : 'none'));

/** As the workflow names a unit. */
const wordOf = (unit: TaskUnit) => (unit === 'pulls' ? 'pull-requests' : unit);

/** On each unit the weaker of the two; what the second does not name is not limited. */
export const atMost = (one: TaskPermissions, other: Partial<TaskPermissions>): TaskPermissions =>
  table((unit) => weaker(one[unit], other[unit] ?? 'write'));

/** What a job may in its own repository: what it declares, or else as set, at most what is allowed, for forks read only. */
export function permissionsOf(
  declared: DeclaredPermissions | null,
  { mode, ceiling }: TokenSettings,
  isFork: boolean,
): TaskPermissions {
  const asked = declared
    ? table((unit) => declared.units[wordOf(unit)])
    : mode === 'restricted'
      ? restricted
      : allWrite;
  const allowed = atMost(asked, ceiling);
  return isFork ? atMost(allowed, restricted) : allowed;
}
