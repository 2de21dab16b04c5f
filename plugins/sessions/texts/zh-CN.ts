import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'signIn.title': '登录',
  'signIn.new': '还没有账号？<link>创建账号</link>',
  'signIn.name': '用户名或邮箱地址',
  'signIn.password': '密码',
  'signIn.remember': '记住此设备',
  'signIn.submit': '登录',

  'register.title': '创建账号',
  'register.first': '创建第一个账号',
  'register.firstNote': '第一个账号将成为本站点的管理员。',
  'register.existing': '已有账号？<link>登录</link>',
  'register.name': '用户名',
  'register.nameNote': '可使用字母、数字、“-”、“_”和“.”；不能有两个连续的符号。',
  'register.email': '邮箱地址',
  'register.password': '密码',
  'register.confirm': '确认密码',
  'register.submit': '创建账号',
  'register.awaitsActivation': '您的账号已创建。管理员激活后您才能登录。',

  'newPassword.title': '修改密码',
  'newPassword.text': '继续之前必须修改此账号的密码。',
  'newPassword.new': '新密码',
  'newPassword.confirm': '确认新密码',
  'newPassword.submit': '修改密码',

  'menu.label': '{name} 的账号菜单',
  'menu.signedIn': '已登录为 <b>{name}</b>',
  'menu.profile': '个人主页',
  'menu.dashboard': '控制面板',
  'menu.settings': '设置',
  'menu.admin': '站点管理',
  'menu.signOut': '退出登录',
  'menu.signIn': '登录',
  'menu.register': '创建账号',

  'sessions.title': '会话',
  'sessions.heading': '活动会话',
  'sessions.none': '没有活动会话',
  'sessions.unknown': '未知地址',
  'sessions.current': '当前会话',
  'sessions.times': '登录于 {since}，上次活动于 {used}（UTC）',
  'sessions.end': '退出登录',
  'sessions.endOf': '退出来自 {address} 的会话',

  'error.credentials': '用户名或密码不正确。',
  'error.passwordMismatch': '两次输入的密码不一致。',
  'error.passwordSame': '新密码不能与当前密码相同。',
  'error.closed': '注册已关闭。请联系本站点的管理员获取账号。',
  'error.domain': '不能使用此域名的邮箱地址创建账号。',
};
