import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.registry': '在 <code>.npmrc</code> 中设置注册表：',
  'install.command': '安装软件包：',
  'install.manifest': '或将其添加到 <code>package.json</code>：',

  'about.deprecated': '已弃用：{reason}',
  'about.license': '许可证：{license}',
  'about.repository': '仓库：',
  'about.dependencies': '依赖',
  'about.peerDependencies': '对等依赖',
  'about.optionalDependencies': '可选依赖',
  'about.devDependencies': '开发依赖',
};
