import { MarkRow } from './star.js';

export class WatchRow extends MarkRow {
  static override tableName = 'watch';
}
