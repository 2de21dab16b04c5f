import type { Translation } from '../texts.js';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'time.now': '刚刚',
  'pager.label': '页码',
  copied: '已复制',

  'pager.previous': '上一页',
  'pager.next': '下一页',
  'pager.position': '第 {page, number} 页，共 {last, number} 页',
  'search.submit': '搜索',
  'settings.search': '搜索设置',
  'settings.none': '没有匹配的设置',
  'settings.noneText': '请尝试其他词语，或浏览菜单中的各个页面。',
  'form.saved': '更改已保存。',
  'form.deleted': '{name} 已被删除。',
  'error.notFound': '此页面不存在，或者您没有访问权限。',
  'error.tooLarge': '请求超过允许的大小（{size}）。',
  'error.tooManyFiles': '一个表单最多可包含 {count, number} 个文件。',
  'input.required': '{field}不能为空。',
  'input.maxLength': '{field}最多 {limit, number} 个字符。',
  'input.minLength': '{field}至少 {limit, number} 个字符。',
  'input.email': '{field}必须是有效的邮箱地址。',
  'input.url': '{field}必须是有效的 URL。',
  'input.number': '{field}必须是数字。',
  'input.integer': '{field}必须是整数。',
  'input.min': '{field}不能小于 {limit, number}。',
  'input.max': '{field}不能大于 {limit, number}。',
  'input.maxItems': '{field}最多 {limit, number} 项。',
  'input.minItems': '{field}至少 {limit, number} 项。',
  'input.oneOf': '{field}必须是{values}。',
  'input.invalid': '{field}无效。',
};
