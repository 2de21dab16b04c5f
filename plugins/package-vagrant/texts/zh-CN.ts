import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'about.author': '作者：{author}',
  'install.command': '添加 Box：',
  'install.providers': '提供者：{providers}',
};
