import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'applications.title': '应用',

  'tokens.title': '访问令牌',
  'tokens.none': '还没有访问令牌',
  'tokens.note': '程序使用令牌代替您的密码，并仅具有您选择的权限。',
  'tokens.created': '创建于 {when}',
  'tokens.used': '上次使用于 {when}',
  'tokens.neverUsed': '从未使用',
  'tokens.delete': '删除',
  'tokens.deleteOf': '删除令牌 {name}',
  'tokens.deleteConfirm': '删除令牌 {name}？使用它的程序将失去访问权限。',
  'tokens.copy': '请立即复制新令牌，它不会再次显示。',
  'tokens.copyButton': '复制令牌',
  'tokens.secret': '新令牌',

  'new.title': '生成令牌',
  'new.name': '名称',
  'new.namePlaceholder': '用途是什么？',
  'new.permissions': '权限',
  'new.publicOnly': '仅限公开的仓库和组织',
  'new.submit': '生成令牌',

  'level.none': '无权限',
  'level.read': '读取',
  'level.write': '读取和写入',
  'level.delete': '读取、写入和删除',

  'scope.activitypub': 'ActivityPub',
  'scope.admin': '站点管理',
  'scope.misc': '其他',
  'scope.notification': '通知',
  'scope.organization': '组织',
  'scope.package': '软件包',
  'scope.issue': '议题和拉取请求',
  'scope.repository': '仓库',
  'scope.user': '您的账号',

  'scopeNote.activitypub': '与其他站点的联合。',
  'scopeNote.admin': '用户、计划任务以及管理页面上的其他所有内容。',
  'scopeNote.misc': 'Markdown 渲染、模板和其他辅助功能。',
  'scopeNote.notification': '您的通知。',
  'scopeNote.organization': '您所属的组织和团队。',
  'scopeNote.package': '发布、下载和删除软件包。',
  'scopeNote.issue': '议题、合并请求、评论和里程碑。',
  'scopeNote.repository': '代码、分支、发布、Wiki、Webhook 和设置；克隆和推送需要此权限。',
  'scopeNote.user': '个人资料、邮箱地址、密钥、星标和关注者。',

  'error.name': '名称长度必须为 1 到 255 个字符。',
  'error.nameTaken': '您已有同名的令牌。',
  'error.noScope': '请至少选择一项权限。',
  'error.exceeds': '令牌不能创建权限超出自身的令牌。',
  'error.signIn': '不能使用访问令牌管理访问令牌。请先登录。',
};
