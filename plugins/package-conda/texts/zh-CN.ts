import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'about.dependencies': '依赖',
  'about.license': '许可证：{license}',
  'install.channel': '将服务器添加到 .condarc：',
  'install.command': '安装软件包：',
  'install.platforms': '平台：{platforms}',
};
