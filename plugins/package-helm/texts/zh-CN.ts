import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'about.appVersion': '应用版本：{version}',
  'about.dependencies': '依赖',
  'about.keywords': '关键词：{keywords}',
  'install.command': '安装 Chart：',
  'install.repository': '添加仓库：',
};
