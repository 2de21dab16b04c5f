import { takenRow, type TakeoverKind } from '@mortise/plugin-sdk';
import { BadgeRow } from '../models/badge.js';
import { NoticeRow } from '../models/notice.js';
import { UserBadgeRow } from '../models/user-badge.js';

const maxNotice = 4000;

const notices: TakeoverKind = {
  id: 'admin.notices',
  table: 'notice',
  map: (row) =>
    takenRow(NoticeRow, {
      id: row.number('id'),
      kind: row.number('type') === 2 ? 'task' : 'repository',
      text: row.text('description').slice(0, maxNotice),
      created_at: row.time('created_unix'),
    }),
};

const badges: TakeoverKind = {
  id: 'admin.badges',
  table: 'badge',
  map: (row) =>
    takenRow(BadgeRow, {
      id: row.number('id'),
      slug: row.text('slug').slice(0, 100),
      description: row.text('description').slice(0, 255),
      image_url: row.text('image_url').slice(0, 1000),
    }),
};

const userBadges: TakeoverKind = {
  id: 'admin.user_badges',
  table: 'user_badge',
  references: { user_id: 'accounts.users', badge_id: 'admin.badges' },
  map: (row) => takenRow(UserBadgeRow, { user_id: row.number('user_id'), badge_id: row.number('badge_id') }),
};

export const kinds: readonly TakeoverKind[] = [notices, badges, userBadges];
