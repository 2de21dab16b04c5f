import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  none: '通知',
  one: '{count} 条未读通知',
  other: '{count} 条未读通知',
};
