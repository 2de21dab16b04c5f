import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  title: '搜索',
  label: '搜索本站',
  kinds: '搜索范围',
  code: '代码',
  commits: '提交',
  people: '人员',
  isOrganization: '组织',
  isPerson: '个人',
  repositories: '仓库',
  isPrivate: '私有',
  isPublic: '公开',
  results: '{count, plural, =0 {没有结果} other {# 个结果}}',
  'none.title': '没有找到任何内容',
  'none.text': '每个词都必须出现。请使用更少或其他的词，或查看其他标签页。',
  'start.title': '您在找什么？',
  'start.text': '按词的开头匹配；"引号中的词"须按此顺序出现。',
};
