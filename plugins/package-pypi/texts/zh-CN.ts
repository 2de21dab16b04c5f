import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.command': '安装软件包：',
  'install.upload': '上传发行版：',
  'about.requires': '需要 Python {version}',
  'about.yanked': '此版本已撤回：{reason}',
  'about.license': '许可证：{license}',
};
