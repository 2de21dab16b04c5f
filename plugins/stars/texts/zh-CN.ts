import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'button.watch': '订阅',
  'button.unwatch': '取消订阅',
  'button.star': '星标',
  'button.unstar': '取消星标',
  'button.signIn.watch': '登录后可订阅此仓库',
  'button.signIn.star': '登录后可为此仓库加星标',
  'button.stars': '{count, number} 个星标',
  'button.watchers': '{count, number} 位订阅者',

  'users.stars': '加星标的用户',
  'users.watchers': '订阅者',
  'users.noStars': '还没有星标',
  'users.noWatchers': '还没有订阅者',

  'menu.stars': '您的星标',
  'counter.stars': '星标',
  'tab.stars': '星标',
};
