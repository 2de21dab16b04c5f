import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.configure': '添加远程仓库：',
  'install.command': '安装软件包：',
  'install.upload': '上传版本：',
  'about.license': '许可证：{license}',
  'about.author': '作者：{author}',
  'about.references': '配方',
  'about.revisions': '{count, plural, other {# 个修订}}',
};
