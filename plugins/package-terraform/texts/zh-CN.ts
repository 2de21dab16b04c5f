import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.state': '将状态保存在此处：',
  'install.module': '使用该模块：',
  'install.provider': '使用该 provider：',
  'about.state': '这是一个状态，可能包含机密：只有所有者的成员可以读取。',
  'about.lineage': '谱系：{lineage}',
  'about.platforms': '平台：{platforms}',
};
