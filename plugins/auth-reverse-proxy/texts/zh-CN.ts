import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'error.name': '代理用于登录的名称不能作为账号名称。',
};
