import { BaseModel } from '@mortise/plugin-sdk';
import type { AccessMode } from '@mortise/repositories/api';

/** A right on one unit of the team's repositories (ORG-08). */
export class TeamUnitRow extends BaseModel {
  static override tableName = 'team_unit';
  static override idColumn = ['team_id', 'unit'];
  declare team_id: number;
  /** Key of the unit, such as `code`. */
  declare unit: string;
  declare mode: AccessMode;
}
