import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'error.nameMissing': '请输入文件名。',
  'error.nameLong': '文件名最多 255 个字符。',
  'error.type': '不允许此类型的文件：{name}。',
  'error.size': '文件大小不能超过 {size}。',
  'error.url': '外部链接（external_url）必须是以 http:// 或 https:// 开头且不含密码的有效地址。',
  'error.urlLong': '外部链接（external_url）最多 2,000 个字符。',
};
