import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  unit: '工作流',
  'error.actionName':
    '{name} 不能作为密钥或变量的名称：只能使用字母、数字和 _，且不能以数字、CI、GITEA_、GITHUB_ 或 MORTISE_ 开头。',
  'error.actionValue': '该值超过 {max, number} 字节。',
  'error.variableTaken': '变量 {name} 已存在。',
};
