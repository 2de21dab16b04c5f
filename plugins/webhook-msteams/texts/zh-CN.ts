import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  card: '卡片',
  auto: '根据 URL 选择',
  adaptive: '自适应卡片（工作流）',
  message: '消息卡片（连接器）',
};
