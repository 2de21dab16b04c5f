import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  token: '机器人令牌',
  chat: '聊天 ID',
  thread: '话题 ID',
  threadHelp: '可选。群组中的话题。',
  needed: '请输入机器人令牌和聊天 ID。',
};
