import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.command': '安装 gem：',
  'install.bundler': '或将其添加到 Gemfile：',
  'install.push': '推送版本：',
  'about.license': '许可证：{license}',
  'about.authors': '作者：{authors}',
  'about.dependencies': '依赖',
  'about.platforms': '平台：{platforms}',
};
