import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'list.title': '软件包',
  'list.of': '{name} 的软件包',
  'list.heading': '<link>{name}</link> / 软件包',
  'list.all': '所有软件包',
  'list.search': '按名称搜索软件包',
  'list.format': '格式',
  'list.allFormats': '所有格式',
  'list.none': '没有软件包',

  'admin.name': '名称',
  'admin.versions': '版本数',
  'admin.size': '大小',
  'admin.published': '最近发布',
  'admin.actions': '操作',
  'admin.none': '没有匹配的软件包',
  'admin.deleteOf': '删除 {name}',
  'admin.deleteConfirm': '确定删除 {name} 及其 {versions, number} 个版本？其文件将被永久删除。',

  'version.install': '安装',
  'version.readme': '自述文件',
  'version.tags': '标签',
  'version.about': '关于',
  'version.downloads': '{count, number} 次下载',
  'version.hash': 'SHA-256 {hash}',
  'version.files': '文件（{count, number}）',
  'version.versions': '版本（{count, number}）',
  'version.delete': '删除此版本',
  'version.deleteConfirm': '删除版本 {version}？其文件将被永久删除。',

  'event.label': '软件包',
  'event.note': '发布或删除了软件包的版本。',
  'event.group': '软件包',
  'event.created': '{actor} 发布了 {name} {version}',
  'event.deleted': '{actor} 删除了 {name} {version}',
  'error.ownsPackages': '该账号仍拥有软件包。',
};
