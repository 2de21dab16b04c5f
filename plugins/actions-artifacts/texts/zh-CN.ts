import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'artifacts.delete': '删除',
  'artifacts.deleteConfirm': '产物 {name} 将被永久删除。',
  'artifacts.deleteOf': '删除 {name}',
  'artifacts.expired': '已过期',
  'artifacts.expires': '{when}过期',
  'artifacts.title': '产物',
  'summaries.of': '{name} 的摘要',
};
