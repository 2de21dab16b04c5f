import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  cancel: '取消',
  crumbs: '路径',

  'actions.add': '添加文件',
  'actions.new': '新建文件',
  'actions.upload': '上传文件',
  'actions.patch': '应用补丁',
  'actions.deleteFolder': '删除文件夹',
  'actions.edit': '编辑文件',
  'actions.delete': '删除文件',
  'actions.tooMany': '超过 {max, number} 个文件的文件夹只能使用 Git 删除。',

  'commit.title': '提交更改',
  'commit.submit': '提交',
  'commit.summary': '提交信息',
  'commit.description': '详细描述',
  'commit.descriptionHint': '详细描述（可选）',
  'commit.signoff': '添加 <code>Signed-off-by</code> 行',
  'commit.where': '目标分支',
  'commit.toBranch': '提交到 {branch}',
  'commit.protected': '此分支受保护，无法直接提交。',
  'commit.toNewBranch': '提交到新分支',
  'commit.newBranch': '新分支的名称',

  'edit.title': '编辑 {path}',
  'edit.path': '文件路径',
  'edit.text': '文件内容',
  'edit.preview': '预览',
  'edit.showChanges': '显示更改',
  'edit.changes': '更改',
  'edit.noChanges': '没有任何更改。',

  'patch.label': '补丁',
  'patch.placeholder': 'git diff 或 git format-patch 的输出',

  'upload.folder': '文件夹',
  'upload.root': '留空则为根目录',
  'upload.files': '文件',
  'upload.limits': '最多 {count, number} 个文件，每个不超过 {size}。同名文件将被替换。',

  'delete.title': '删除 {path}',
  'delete.question': '要删除 {path} 吗？',
  'delete.files': '将删除 {count, number} 个文件',
  'delete.file': '删除文件',
  'delete.folder': '删除文件夹',

  'field.summary': '提交信息',
  'field.description': '详细描述',
  'field.newBranch': '新分支的名称',
  'field.path': '文件路径',
  'field.folder': '文件夹',

  'error.tooLong': '{field}：{count, number} 个字符过长，最多允许 {max, number} 个。',
  'error.textTooLong': '文件过大，无法使用此编辑器。上限为 {size}；更大的文件请使用 Git 推送。',
  'error.notEditable': '此处只能编辑不超过 {size} 的 UTF-8 文本文件。',
  'error.symbolicLink': '此处无法编辑符号链接。',
  'error.noPatch': '请输入补丁。',
  'error.noFile': '请至少选择一个文件。',
  'error.tooManyFiles': '一次最多可上传 {max, number} 个文件。',
  'error.fileTooLarge': '{name} 过大，上限为 {size}。',
  'error.fileType': '此处不能上传 {name} 这样的文件。',
  'error.folderTooLarge': '此文件夹包含超过 {max, number} 个文件，请使用 Git 删除。',
  'error.noBranch': '分支 {name} 不存在。',
};
