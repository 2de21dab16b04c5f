import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'about.author': '作者：{author}',
  'about.dependencies': '依赖',
  'about.license': '许可证：{license}',
  'install.binaries': '二进制包：{kinds}',
  'install.command': '安装软件包：',
  'install.repository': '在 R 中添加软件源：',
};
