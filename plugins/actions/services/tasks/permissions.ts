import { taskUnits, type TaskMode, type TaskPermissions, type TaskUnit } from '../../contract/task-identity.js';
import type { TokenSettings } from '../../contract/token-settings.js';
import {
  effectivePermissions,
  type DeclaredPermissions,
  type PermissionTable,
  type Unit,
} from '../../workflow/index.js';

/** As the workflow names a unit. */
const wordOf = (unit: TaskUnit): Unit => (unit === 'pulls' ? 'pull-requests' : unit);

const ofWords = (table: PermissionTable): TaskPermissions =>
  Object.fromEntries(taskUnits.map((unit) => [unit, table[wordOf(unit)]])) as Record<TaskUnit, TaskMode>;

/** What a ceiling does not name is not limited. */
const toWords = (ceiling: TokenSettings['ceiling']): PermissionTable =>
  Object.fromEntries(taskUnits.map((unit) => [wordOf(unit), ceiling[unit] ?? 'write'])) as Record<Unit, TaskMode>;

/** What a job declares, and the settings of its repository. */
export interface TaskPermissionFacts {
  readonly declared: DeclaredPermissions | null;
  readonly settings: TokenSettings;
  readonly isFork: boolean;
}

/**
 * What a job may in its own repository: what it declares, or else as set, at most what is allowed, for forks read only.
 * `target`: the settings of another repository, if that is what it is about.
 */
export const permissionsOf = (
  { declared, settings, isFork }: TaskPermissionFacts,
  target?: TokenSettings,
): TaskPermissions =>
  ofWords(
    effectivePermissions({
      ...(declared && { declared }),
      mode: settings.mode,
      ceiling: toWords(settings.ceiling),
      isForkOrOther: isFork || target !== undefined,
      ...(target && { targetCeiling: toWords(target.ceiling) }),
    }),
  );
