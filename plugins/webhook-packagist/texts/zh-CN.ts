import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  username: 'Packagist 用户名',
  token: 'API 令牌',
  package: '软件包 URL',
  needed: '请输入用户名和 API 令牌。',
};
