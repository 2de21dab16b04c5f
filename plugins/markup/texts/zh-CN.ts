import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  completedTask: '已完成的任务',
  incompleteTask: '未完成的任务',
  linkToSection: '指向本节的链接',
  note: '注意',
  tip: '提示',
  important: '重要',
  warning: '警告',
  caution: '小心',
  code: '代码',
  table: '表格',
  copy: '复制',
  copied: '已复制',
  diagram: '图表',
  showSource: '显示源代码',
  showDiagram: '显示图表',
  diagramFailed: '无法显示图表：{reason}',
};
