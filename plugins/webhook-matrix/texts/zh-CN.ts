import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  server: '主服务器 URL',
  room: '房间 ID',
  token: '访问令牌',
  type: '消息类型',
  needed: '请输入主服务器 URL 和房间 ID。',
};
