import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.configure': '在 <code>.cargo/config.toml</code> 中添加注册表：',
  'install.command': '将 crate 添加到项目：',
  'about.yanked': '此版本已撤回：新项目不会再选用它。',
  'about.license': '许可证：{license}',
  'about.dependencies': '依赖',
};
