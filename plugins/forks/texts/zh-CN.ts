import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'button.fork': '派生',
  'button.forks': '派生',
  'button.count': '{count, number} 个派生',
  'button.template': '使用此模板',
  'counter.forks': '派生',

  'list.title': '派生',
  'list.new': '新建派生',

  'fork.title': '新建派生',
  'fork.about': '派生是 {name} 的独立副本，对其修改不会影响原仓库。其可见性与原仓库相同。',
  'fork.exists': '您已派生过此仓库：{fork}',
  'fork.own': '您是此仓库的所有者。不能将仓库派生到其所有者的账号下。',
  'fork.description': '描述',
  'fork.onlyBranch': '仅复制 {branch} 分支',
  'fork.onlyBranchNote': '其他分支和标签可以稍后再获取。',
  'fork.submit': '创建派生',

  'templates.title': '从{count, plural, other {# 个模板之一}}开始',
  'templates.more': '更多模板可在“探索”中找到；每个模板都有“使用此模板”按钮。',

  'template.title': '使用此模板',
  'template.heading': '从模板新建仓库',
  'template.about': '新仓库将包含从 {name} 选择的内容。',
  'template.private': '私有',
  'template.privateNote': '只有您和您邀请的人可以看到。',
  'template.items': '要复制的内容',
  'template.files': '文件',
  'template.filesNote': '默认分支的文件，作为一个新提交。模板所列文件中的变量会被替换。',
  'template.topics': '主题标签',
  'template.avatar': '头像',
  'template.submit': '创建仓库',

  'upstream.title': '上游仓库',
  'upstream.even': '{branch} 与 {upstream} 保持同步。',
  'upstream.behindSome': '{branch} 落后于 {upstream}。',
  'upstream.behind': '{branch} 落后 {upstream} {behind, number} 个提交。',
  'upstream.ahead': '{branch} 领先 {upstream} {ahead, number} 个提交。',
  'upstream.both': '{branch} 领先 {upstream} {ahead, number} 个提交，落后 {behind, number} 个提交。',
  'upstream.sync': '同步派生',
  'upstream.merge': '合并上游',

  'error.forkExists': '此账号下已有该仓库的派生。',
  'error.noTemplate': '此仓库不是模板。',
  'error.noItems': '请至少选择一项要从模板复制的内容。',
  'error.noFork': '此仓库不是派生。',
  'error.upstreamHidden': '您无权访问上游仓库。',
  'error.notFastForward': '{branch} 有自己的提交，无法快进。',
  'error.conflicts': '分支在以下文件中存在冲突：{files}',
};
