import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'event.group': '仓库',
  'event.push': '推送',
  'event.pushNote': '推送了提交或标签。',
  'event.create': '创建',
  'event.createNote': '创建了分支或标签。',
  'event.delete': '删除',
  'event.deleteNote': '删除了分支或标签。',
  'event.fork': '派生',
  'event.forkNote': '仓库被派生。',
  'event.repository': '仓库',
  'event.repositoryNote': '创建或删除了仓库。',

  'line.push': '{actor} 向 {repository} 的 {name} 推送了 {count, plural, other {# 个提交}}',
  'line.pushTag': '{actor} 向 {repository} 推送了标签 {name}',
  'line.createBranch': '{actor} 在 {repository} 中创建了分支 {name}',
  'line.createTag': '{actor} 在 {repository} 中创建了标签 {name}',
  'line.deleteBranch': '{actor} 在 {repository} 中删除了分支 {name}',
  'line.deleteTag': '{actor} 在 {repository} 中删除了标签 {name}',
  'line.fork': '{actor} 将 {repository} 派生为 {fork}',
  'line.repositoryCreated': '{actor} 创建了仓库 {repository}',
  'line.repositoryDeleted': '{actor} 删除了仓库 {repository}',
  'line.repositoryRenamed': '{actor} 将仓库 {from} 重命名为 {repository}',
  'line.repositoryTransferred': '{actor} 将仓库 {from} 转移为 {repository}',
};
