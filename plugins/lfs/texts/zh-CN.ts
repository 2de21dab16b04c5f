import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'lfs.menu': 'LFS',
  'lfs.title': 'Git LFS',
  'lfs.saved': '更改已保存。',
  'lfs.search': '搜索',
  'tab.objects': '对象',
  'tab.pointers': '指针文件',
  'tab.locks': '锁',

  'objects.note': '此仓库在历史之外保存的大文件：共 {size}。',
  'objects.search': '查找对象',
  'objects.searchNote': '请输入其 SHA-256 哈希的开头。',
  'objects.label': '{count, number} 个对象',
  'objects.noMatch': '没有匹配的对象',
  'objects.none': '还没有对象',
  'objects.added': '添加于 {when}',
  'objects.findFiles': '查找文件',
  'objects.delete': '删除…',
  'objects.deleteOf': '删除 {oid}',
  'objects.deleteNote': '所有引用它的指针文件都将丢失其内容。',
  'objects.deleteSubmit': '删除对象',

  'pointers.note': '<b>{branch}</b> 上引用 LFS 对象的文件。',
  'pointers.search': '查找文件',
  'pointers.searchNote': '请输入路径或 SHA-256 哈希的一部分。',
  'pointers.none': '没有匹配的文件',
  'pointers.missing': '对象缺失',
  'pointers.size': '大小不符',
  'pointers.more': '还有更多文件。请通过搜索缩小范围。',

  'locks.note': '锁告知他人不要更改该文件：Git LFS 会拒绝他人推送对它的更改。',
  'locks.none': '没有锁',
  'locks.by': '{name}，{when}',
  'locks.unlock': '解锁',
  'locks.unlockOf': '解锁 {path}',
  'locks.more': '更多锁',
  'locks.path': '锁定文件',
  'locks.example': 'art/logo.psd',
  'locks.submit': '锁定',

  'error.locked': '此文件已被锁定。',
  'error.pathRequired': '请输入文件路径。',
  'error.path': '路径必须是不超过 4,096 字节且不含控制字符的文件路径。',
  'error.noObject': '此 LFS 对象不存在。',
};
