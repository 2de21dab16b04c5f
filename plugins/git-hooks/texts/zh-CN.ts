import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'hooks.title': 'Git 钩子',
  'hooks.about':
    '分支或标签变更时在服务器上运行的脚本。以 <code>#!</code> 开头的脚本使用所指定的解释器，其他脚本由 shell 运行。',
  'hooks.note.pre-receive':
    '在更新任何引用之前运行一次。标准输入中每个引用占一行：旧提交、新提交和引用名称。退出码非零时拒绝推送。',
  'hooks.note.update': '在更新每个引用之前运行，参数为引用名称、旧提交和新提交。退出码非零时拒绝推送。',
  'hooks.note.post-receive': '在所有引用更新之后运行，无法再拒绝推送。',
  'hooks.save': '保存 {name}',

  'error.disabled': '本站点已禁用 Git 钩子（[security] DISABLE_GIT_HOOKS）。',
  'error.edit': '您没有编辑 Git 钩子的权限。',
  'error.read': '您没有查看 Git 钩子的权限。',
  'error.missing': '此 Git 钩子不存在。',
  'error.refused': '此仓库的 Git 钩子拒绝了更改。',
};
