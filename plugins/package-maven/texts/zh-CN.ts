import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.repository': '在 <code>pom.xml</code> 中添加仓库：',
  'install.dependency': '添加依赖：',
  'install.command': '或直接下载：',
  'about.license': '许可证：{license}',
  'about.dependencies': '依赖',
};
