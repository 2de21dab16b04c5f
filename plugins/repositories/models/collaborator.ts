import { BaseModel } from '@mortise/plugin-sdk';
import type { AccessMode } from '../api.js';

export class CollaboratorRow extends BaseModel {
  static override tableName = 'collaborator';
  declare id: number;
  declare repository_id: number;
  declare user_id: number;
  declare mode: AccessMode;
}
