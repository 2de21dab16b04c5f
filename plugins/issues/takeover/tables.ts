import type { TableMapping } from '@mortise/plugin-sdk';
import { commentTables } from './comments.js';
import { relationTables } from './relations.js';
import { issueTables } from './issues.js';
import { labelTables } from './labels.js';

export const tables = (deps: Parameters<typeof commentTables>[0]): readonly TableMapping[] => [
  ...labelTables,
  ...issueTables,
  ...commentTables(deps),
  ...relationTables,
];
