import { targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { KeyRow } from '../models/key.js';

/** The public half of what users sign their requests with, which lies among their settings there. */
const keys: TableMapping = {
  id: 'package-chef.keys',
  table: 'user_setting',
  references: { user_id: 'accounts.users' },
  filter: (row) => row.text('setting_key') === 'chef.public_pem',
  map: (row) =>
    targetRow(KeyRow, { user_id: row.number('user_id'), public_key: row.text('setting_value'), created_at: 0 }),
};

export const tables: readonly TableMapping[] = [keys];
