import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'error.closed': '该项目已关闭:请重新打开后再更改列和卡片。',
  'error.color': '颜色应写作 #rrggbb。',
  'error.columnTwice': '同一列出现了两次。',
  'error.defaultColumn': '默认列不能删除:请先将另一列设为默认列。',
  'error.foreignColumn': '该列不属于此项目。',
  'error.foreignIssue': '该议题不能放入此项目:它属于其他仓库或所有者。',
  'error.needsWrite': '您需要对此处项目的写入权限。',
  'error.oneOf': '{field} 必须是以下之一:{values}',
  'error.publicToken': '该令牌只能访问公开账户。',
  'error.scope': '该令牌需要权限范围 {scope}。',
  'error.title': '标题不能为空。',
  'error.titleLength': '标题超过 {max, number} 个字符。',
  'error.tooManyCards': '一个项目最多容纳 {max, number} 张卡片。',
  'error.tooManyColumns': '一个项目最多有 {max, number} 列。',
  'line.added': '{name} 于 {when} 将此添加到 {project} 的 {column}',
  'line.addedByRule': '{name} 于 {when} 通过规则将此添加到 {project} 的 {column}',
  'line.deletedProject': '已删除的项目',
  'line.moved': '{name} 于 {when} 将此移动到 {project} 的 {column}',
  'line.movedByRule': '{name} 于 {when} 通过规则将此移动到 {project} 的 {column}',
  'line.removed': '{name} 于 {when} 将此从 {project} 移除',
  unit: '项目',
};
