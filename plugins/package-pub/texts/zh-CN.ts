import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.token': '为客户端设置令牌：',
  'install.command': '将软件包添加到项目：',
  'install.publish': '在 <code>pubspec.yaml</code> 中设置 <code>publish_to</code> 后发布：',
  'about.sdk': '需要 {name} {range}',
  'about.dependencies': '依赖',
};
