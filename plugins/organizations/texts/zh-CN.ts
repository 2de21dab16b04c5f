import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'error.blocked': '该组织与该用户之间存在屏蔽。',
  'error.email': '电子邮件地址无效。',
  'error.foreignRepository': '该仓库不属于此团队所在的组织。',
  'error.foreignTeam': 'ID 为 {id} 的团队属于其他组织。',
  'error.lastOwner': '组织的最后一位所有者不能离开。',
  'error.mayNotCreate': '您无权创建组织。',
  'error.membersOnly': '只有组织成员可以执行此操作。',
  'error.nameMissing': '必须填写名称。',
  'error.noUnits': '团队至少需要一个单元的访问权限。',
  'error.noTeam': '不存在 ID 为 {id} 的团队。',
  'error.notAnOrganization': '该仓库不属于任何组织。',
  'error.notAPerson': '组织不能成为团队成员。',
  'error.ownersOnly': '只有组织所有者可以执行此操作。',
  'error.ownersStay': '所有者团队不能删除。',
  'error.ownsOrganizations': '该用户是某个组织的最后一位所有者。请先添加其他所有者或删除该组织。',
  'error.privateTeam': '该团队是私有的。',
  'error.publicToken': '该令牌仅限于公开组织。',
  'error.teamName': '团队名称可以包含字母、数字、“-”、“_”和“.”，且不能为“new”或“search”。',
  'error.teamTaken': '该组织已有名为 {name} 的团队。',
  'error.teamHas': '团队 {team} 已可访问该仓库。',
  'error.teamHasNot': '团队 {team} 无权访问该仓库。',
  'error.tooLong': '最多 {max, plural, other {# 个字符}}。',
  'error.unitMode': '团队在单个单元上不能拥有“{mode}”权限。',
  'error.website': '网站必须是 HTTP 或 HTTPS 地址。',
};
