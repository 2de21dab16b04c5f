import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'footer.sentBy': '由 {site} 发送',
  'footer.reason': '收到此邮件的原因：{reason}',
  'footer.unsubscribe': '退订',

  'test.subject': '来自 {site} 的测试邮件',
  'test.text': '这是一封测试邮件。{site} 可以发送邮件。',

  'error.address': '请输入有效的邮箱地址。',
  'error.disabled': '邮件功能已禁用。请在配置的 [mailer] 部分启用。',
  'error.test': '邮件无法发送：{reason}',
};
