import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.proxy': '优先使用此代理：',
  'install.command': '添加模块：',
  'about.module': '模块文件',
};
