import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.configure': '添加软件包源：',
  'install.command': '将软件包添加到项目：',
  'install.push': '推送版本：',
  'about.license': '许可证：{license}',
  'about.authors': '作者：{authors}',
  'about.dependencies': '依赖',
};
