import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'error.archived': '该仓库已归档，仅可读取。',
  'error.color': '颜色必须是六位十六进制数字，例如 #0a7bcd。',
  'error.editedMeanwhile': '文本在此期间已被更改。请重新加载后再编辑。',
  'error.labelList': '标签必须全部用编号或全部用名称给出。',
  'error.labelName': '请输入名称。',
  'error.needs': '此操作需要“{mode}”权限。',
  'error.noOwner': '{name} 不存在。',
  'error.notAssignable': '在该仓库中无法指派给 {name}。',
  'error.notUser': '{name} 不是用户。',
  'error.noTeam': '没有名为 {name} 的团队。',
  'error.noUser': '没有名为 {name} 的用户。',
  'error.state': '状态必须是 open 或 closed。',
  'error.teamOwner': '请指明团队所属的组织。',
  'error.time': '{field} 必须是日期时间（RFC 3339），例如 2030-01-31T12:00:00Z。',
  'error.title': '请输入标题。',
  'error.titleLong': '标题最多 {limit, number} 个字符。',
  'error.unitOff': '仓库的这一部分已关闭。',
};
