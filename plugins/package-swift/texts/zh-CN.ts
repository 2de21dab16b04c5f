import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.configure': '设置注册表：',
  'install.command': '将软件包添加到 <code>Package.swift</code>：',
  'install.publish': '发布版本：',
  'about.license': '许可证：{license}',
  'about.author': '作者：{author}',
  'about.tools': 'Swift 工具版本：{version}',
  'about.signed': '此版本已签名。',
};
