import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'clone.menu': '代码',
  'clone.title': '克隆',
  'clone.protocol': '协议',
  'clone.copy': '复制 {protocol} 地址',
  'clone.token': '通过 {protocol} 访问时，Git 会要求输入用户名和密码。请使用访问令牌作为密码。',
  'clone.createToken': '生成访问令牌',

  'empty.title': '此仓库为空',
  'empty.new': '在命令行中创建新仓库',
  'empty.push': '推送现有仓库',
  'empty.copy': '复制命令',
};
