import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'adopt.title': '未接管的仓库',
  'adopt.about':
    '运维人员放入工作目录 <folder></folder> 中、路径为 <path></path> 的裸仓库。接管后将成为该所有者的私有仓库，原文件夹会被移除。',
  'adopt.none': '没有可接管的仓库',
  'adopt.adopt': '接管',
  'adopt.adoptOf': '接管 {path}',
  'adopt.delete': '删除',
  'adopt.deleteOf': '删除 {path}',
  'adopt.deleteConfirm': '删除 {path} 的文件夹？其中的提交和文件将会丢失。',

  'error.admin': '只有站点管理员可以执行此操作。',
  'error.otherOwner': '您只能接管或删除自己名下的仓库。',
  'error.nameTaken': '同名仓库已存在。',
  'error.missing': '此未接管的仓库不存在。',
};
