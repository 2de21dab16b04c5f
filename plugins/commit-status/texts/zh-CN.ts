import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'state.success': '成功',
  'state.pending': '等待中',
  'state.failure': '失败',
  'state.error': '错误',
  'state.warning': '成功但有警告',
  'state.skipped': '已跳过',

  'checks.label': '检查：{summary}',
  'checks.failed': '{count, number} 项检查中有 {bad, number} 项失败',
  'checks.pending': '{count, number} 项检查中有 {waiting, number} 项等待中',
  'checks.passed': '全部 {count, number} 项检查均已通过',
  'checks.defaultContext': 'default',
  'checks.details': '详情',
  'checks.detailsOf': '{context} 的详情',

  'job.success': '成功，用时 {time}',
  'job.failure': '失败，用时 {time}',
  'job.cancelled': '已取消，用时 {time}',
  'job.skipped': '已跳过',
  'job.running': '正在运行',
  'job.cancelling': '正在取消',
  'job.waiting': '等待运行',
  'job.blocked': '因所需条件而受阻',

  'event.label': '提交状态',
  'event.note': '为提交设置了状态。',
  'event.group': '仓库',
  'event.line': '{repository} 中提交 {commit} 的 {context} 状态为 {state}',
};
