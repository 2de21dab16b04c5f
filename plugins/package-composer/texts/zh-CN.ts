import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.configure': '在 <code>composer.json</code> 中添加仓库：',
  'install.command': '将软件包添加到项目：',
  'install.upload': '上传版本：',
  'about.license': '许可证：{license}',
  'about.authors': '作者：{authors}',
  'about.dependencies': '依赖',
};
