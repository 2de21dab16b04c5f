import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'about.dependencies': '依赖',
  'about.license': '许可证：{license}',
  'about.maintainer': '维护者：{maintainer}',
  'install.command': '安装 Cookbook：',
  'install.settings': '将站点添加到 knife 的设置（config.rb）：',
  'keys.title': 'Chef 密钥',
  'keys.note':
    'knife 等工具会对请求签名。为此账号创建密钥对：私钥只能下载一次，不会保存在服务器上。它仅用于发布和读取 Cookbook。',
  'keys.none': '没有密钥。',
  'keys.madeAt': '密钥创建于 {when}。',
  'keys.settings': '在 knife 的设置中，<code>client_name</code> 为“{name}”，<code>client_key</code> 为该文件。',
  'keys.make': '创建密钥对',
  'keys.replaceConfirm': '创建新的密钥对？使用之前密钥签名的请求将被拒绝。',
  'keys.delete': '删除密钥',
  'keys.deleteConfirm': '删除密钥？使用它签名的请求将被拒绝。',
  'error.action': '无法执行此操作。',
};
