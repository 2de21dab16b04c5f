import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'install.signIn': '如果软件包不公开，请先登录：',
  'install.pull': '拉取镜像：',
  'install.digest': '或拉取这一特定镜像：',
  'about.platforms': '平台：{platforms}',
  'about.attestations': '证明：{number}',
  'about.layers': '镜像层',
  'about.license': '许可证：{license}',
};
