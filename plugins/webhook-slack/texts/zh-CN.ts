import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  channel: '频道',
  username: '用户名',
  icon: '图标 URL',
  color: '颜色',
  colorHelp: '显示在推送的提交旁边。',
};
