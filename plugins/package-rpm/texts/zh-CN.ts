import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'about.license': '许可证：{license}',
  'install.architectures': '架构：{architectures}',
  'install.command': '安装软件包：',
  'install.repository': '添加软件源：',
};
