import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  signature: '签名',
  signatureHelp: 'Standard Webhooks：该规范的 webhook-id、webhook-timestamp 和 webhook-signature 请求头。',
};
