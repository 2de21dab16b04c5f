import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'about.dependencies': '依赖',
  'about.license': '许可证：{license}',
  'about.maintainer': '维护者：{maintainer}',
  'install.command': '安装 Cookbook：',
  'install.settings': '将站点添加到 knife 的设置（config.rb）：',
};
