import { taskUnits, type TaskMode, type TaskPermissions, type TaskUnit } from '../../contract/task-identity.js';
import type { TokenSettings } from '../../contract/token-settings.js';
import {
  effectivePermissions,
  type DeclaredPermissions,
  type PermissionTable,
  type Unit,
} from '../../workflow/index.js';

/** As the workflow names a unit. */
const unitName = (unit: TaskUnit): Unit => (unit === 'pulls' ? 'pull-requests' : unit);

const fromTable = (table: PermissionTable): TaskPermissions =>
  Object.fromEntries(taskUnits.map((unit) => [unit, table[unitName(unit)]])) as Record<TaskUnit, TaskMode>;

/** What a ceiling does not name is not limited. */
const toTable = (ceiling: TokenSettings['ceiling']): PermissionTable =>
  Object.fromEntries(taskUnits.map((unit) => [unitName(unit), ceiling[unit] ?? 'write'])) as Record<Unit, TaskMode>;

/** What a job declares, and the settings of its repository. */
export interface TaskPermissionInput {
  readonly declared: DeclaredPermissions | null;
  readonly settings: TokenSettings;
  readonly isFork: boolean;
}

/**
 * What a job may in its own repository: what it declares, or else as set, at most what is allowed, for forks read only.
 * `target`: the settings of another repository, if that is what it is about.
 */
export const permissionsOf = (
  { declared, settings, isFork }: TaskPermissionInput,
  target?: TokenSettings,
): TaskPermissions =>
  fromTable(
    effectivePermissions({
      ...(declared && { declared }),
      mode: settings.mode,
      ceiling: toTable(settings.ceiling),
      isForkOrOther: isFork || target !== undefined,
      ...(target && { targetCeiling: toTable(target.ceiling) }),
    }),
  );
