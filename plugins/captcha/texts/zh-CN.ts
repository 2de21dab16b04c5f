import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'image.alt': '包含 {count} 位数字的图片',
  'image.label': '图片中的数字',
  'image.note': '用于防止程序自动操作。如果无法看清图片，请联系本站管理员。',
  'widget.needsScripts': '此验证需要 JavaScript。',
  'error.unavailable': '无法检查验证码。请稍后重试。',
};
