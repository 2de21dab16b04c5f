import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'kind.sspi': 'SSPI（Kerberos）',
  'field.realms': '允许的领域',
  'field.realmsNote': 'Kerberos 领域（realm），以逗号分隔，例如 EXAMPLE.COM。其他领域的用户无法登录。',
  'field.autoCreateUsers': '自动创建用户',
  'field.autoCreateUsersNote': '关闭时由管理员创建账号，并以主体（principal）作为登录名。',
  'field.autoActivateUsers': '自动激活用户',
  'field.stripDomainNames': '从用户名中移除域名',
  'field.stripDomainNamesNote': 'ada@EXAMPLE.COM 变为 ada。',
  'field.separatorReplacement': '代替 @ 的分隔符',
  'field.separatorReplacementNote': '在不移除域名时使用。',
  'field.defaultLanguage': '用户默认语言',
  'field.visitorsLanguage': '浏览器的语言',
  'link.submit': '使用 Kerberos（SSPI）登录',
  'refused.title': '使用 Kerberos（SSPI）登录',
  'refused.text': '未收到有效的 Kerberos 票据。请确认您持有票据，并且浏览器允许将其发送到本站。',
  'refused.again': '重试',
  'refused.other': '使用其他方式登录',
  'error.token': 'Kerberos 票据无效。',
  'error.nobody': '您的 Kerberos 账号无权访问本站。',
  'error.secondFactor': '此账号已启用双重认证：请在登录页面登录，或使用访问令牌。',
  'error.library':
    '未安装或无法加载 Node.js 软件包 kerberos。请安装系统的 Kerberos 库（libkrb5-dev 或 krb5-devel），然后重新运行 npm install。',
  'error.windows': '未安装或无法加载 Node.js 软件包 node-expose-sspi。在 Windows 服务器上，Negotiate 登录需要它。',
  'error.setup': '此服务器上的 Kerberos 配置不正确。',
  'error.busy': '同时登录的人数过多，请重试。',
};
