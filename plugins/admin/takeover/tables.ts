import { targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { BadgeRow } from '../models/badge.js';
import { NoticeRow } from '../models/notice.js';
import { UserBadgeRow } from '../models/user-badge.js';

const maxNotice = 4000;

const notices: TableMapping = {
  id: 'admin.notices',
  table: 'notice',
  idTable: NoticeRow,
  map: (row) =>
    targetRow(NoticeRow, {
      id: row.number('id'),
      kind: row.number('type') === 2 ? 'task' : 'repository',
      text: row.text('description', maxNotice),
      created_at: row.time('created_unix'),
    }),
};

const badges: TableMapping = {
  id: 'admin.badges',
  table: 'badge',
  idTable: BadgeRow,
  map: (row) =>
    targetRow(BadgeRow, {
      id: row.number('id'),
      slug: row.text('slug', 100),
      description: row.text('description', 255),
      image_url: row.text('image_url', 1000),
    }),
};

const userBadges: TableMapping = {
  id: 'admin.user_badges',
  table: 'user_badge',
  references: { user_id: 'accounts.users', badge_id: 'admin.badges' },
  map: (row) => targetRow(UserBadgeRow, { user_id: row.number('user_id'), badge_id: row.number('badge_id') }),
};

export const tables: readonly TableMapping[] = [notices, badges, userBadges];
