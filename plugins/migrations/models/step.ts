import { BaseModel } from '@mortise/plugin-sdk';
import type { ImportStep, StepProgress } from '../contract/importer.js';

/** How far a step of an import is. */
export class ImportStepRow extends BaseModel {
  static override tableName = 'repository_import_step';
  declare id: number;
  declare repository_id: number;
  declare step: ImportStep;
  declare state: StepProgress['state'];
  declare position: string;
  declare done: number;
  declare total: number;
  declare note: string;
}
