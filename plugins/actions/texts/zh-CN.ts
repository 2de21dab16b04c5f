import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'feature.text': '每次推送都可构建、测试和部署。',
  'error.approver': '合并请求的作者，以及在其打开之后向其推送过提交的人，不能批准它。',
  unit: '工作流',
  'error.actionName':
    '{name} 不能作为密钥或变量的名称：只能使用字母、数字和 _，且不能以数字、CI、GITEA_、GITHUB_ 或 MORTISE_ 开头。',
  'error.actionValue': '该值超过 {max, number} 字节。',
  'error.variableTaken': '变量 {name} 已存在。',
  'obstacle.scoped': '必需的工作流尚未通过：{checks}',
  'event.group': '工作流事件',
  'event.run': '工作流运行',
  'event.runNote': '工作流运行进入队列、开始或结束。',
  'event.job': '工作流任务',
  'event.jobNote': '工作流任务进入队列、开始或结束。',
  'event.runLine':
    '{repository} 的运行“{title}”{result, select, success {已成功} failure {已失败} cancelled {已取消} other {已跳过}}',
  'event.jobLine':
    '{repository} 的任务“{title}”{result, select, success {已成功} failure {已失败} cancelled {已取消} other {已跳过}}',
};
