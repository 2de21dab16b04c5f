import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'about.dependencies': '依赖',
  'about.license': '许可证：{license}',
  'install.architectures': '架构：{architectures}',
  'install.command': '安装软件包：',
  'install.key': '信任软件源的密钥：',
  'install.repository': '将软件源添加到 /etc/apk/repositories：',
};
