import { BaseModel } from '@mortise/plugin-sdk';

class Marked extends BaseModel {
  declare id: number;
  declare repository_id: number;
  declare user_id: number;
  declare created_at: number;
}

export class StarRow extends Marked {
  static override tableName = 'star';
}

export class WatchRow extends Marked {
  static override tableName = 'watch';
}
