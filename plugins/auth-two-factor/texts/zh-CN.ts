import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'security.title': '安全',
  'security.password': '当前密码',
  'security.enforced': '本站要求启用双因素认证。在设置验证器应用或安全密钥之前，您无法访问任何仓库。',

  'totp.title': '双因素认证',
  'totp.on': '已设置验证器应用。登录时需要输入验证码。',
  'totp.off': '尚未设置验证器应用。',
  'totp.setUp': '设置验证器应用',
  'totp.disable': '移除验证器应用',

  'recovery.title': '恢复码',
  'recovery.left': '{count, plural, other {还剩 # 个恢复码。}}',
  'recovery.make': '生成新的恢复码',
  'recovery.note':
    '请妥善保存这些恢复码。无法使用验证器应用或安全密钥时，每个恢复码可用于登录一次。恢复码不会再次显示。',
  'recovery.kept': '我已保存恢复码',

  'enrol.title': '设置验证器应用',
  'enrol.scan': '请使用验证器应用扫描此二维码。',
  'enrol.qr': '密钥二维码',
  'enrol.secret': '或输入此密钥：{secret}',
  'enrol.code': '验证码',
  'enrol.codeNote': '验证器应用当前显示的六位数字。',
  'enrol.submit': '确认',

  'code.title': '双因素认证',
  'code.label': '验证码',
  'code.note': '验证器应用显示的六位数字，或一个恢复码。',
  'code.recoveryLabel': '恢复码',
  'code.recoveryNote': '添加安全密钥时保存的恢复码之一。',
  'code.useKey': '使用安全密钥',
  'code.submit': '验证',

  'error.code': '验证码错误或已被使用。',
  'error.tooMany': '此账号输入错误验证码的次数过多。请使用恢复码或安全密钥，或稍后再试。',
  'error.tooLate': '操作超时，请重新开始。',
  'error.noFactor': '尚未设置双因素认证。',
  'error.basicMissing': '已启用双因素认证：请在 X-Gitea-OTP 标头中发送一次性验证码，或使用访问令牌',
  'error.basicWrong': '一次性验证码错误或已被使用',
  'error.basicKey': '已注册安全密钥：此处不接受密码，请使用访问令牌',

  'keys.title': '安全密钥和通行密钥',
  'keys.note': '安全密钥在输入密码后使用。通行密钥可直接登录，无需密码。',
  'keys.noteFactor': '输入密码后需要使用安全密钥或通行密钥。',
  'keys.passkey': '通行密钥',
  'keys.securityKey': '安全密钥',
  'keys.added': '添加于 {when}',
  'keys.used': '最后使用于 {when}',
  'keys.neverUsed': '从未使用',
  'keys.change': '重命名或移除 {name}',
  'keys.name': '名称',
  'keys.rename': '重命名',
  'keys.remove': '移除',
  'keys.addPasskey': '添加通行密钥',
  'keys.addKey': '添加安全密钥',
  'keys.unsupported': '此浏览器在此处不支持安全密钥，需要 HTTPS 或 localhost。',
  'keys.failed': '无法使用安全密钥或通行密钥，请重试。',

  'key.note': '请使用安全密钥或通行密钥完成登录。',
  'key.submit': '使用安全密钥',
  'key.useCode': '改用验证码',

  'passkey.title': '使用通行密钥登录',
  'passkey.note': '您的设备会要求您确认身份。',
  'passkey.submit': '使用通行密钥登录',
  'passkey.password': '使用密码登录',

  'error.key': '安全密钥或通行密钥未被接受，请重试。',
  'error.keyKnown': '此安全密钥已被使用。',
  'error.keyName': '名称长度必须为 1 到 255 个字符。',

  'admin.has': '已设置双因素认证。',
  'admin.hasNot': '尚未设置双因素认证。',
  'admin.reset': '移除双因素认证',
  'admin.resetNote': '移除 {name} 的验证器应用、安全密钥、通行密钥和恢复码。请仅在确认 {name} 本人提出请求后执行。',

  'mail.subject': '您在 {site} 上的双因素认证已更改',
  'mail.totpAdded': '您的账号 {name} 已添加验证器应用。',
  'mail.totpRemoved': '您的账号 {name} 已移除验证器应用。',
  'mail.keyAdded': '您的账号 {name} 已添加安全密钥或通行密钥“{key}”。',
  'mail.keyRemoved': '您的账号 {name} 已移除安全密钥或通行密钥“{key}”。',
  'mail.codesMade': '您的账号 {name} 已生成新的恢复码。',
  'mail.reset': '管理员已移除您的账号 {name} 的双因素认证。',
  'mail.notYou': '如果这不是您本人的操作，请更改密码并检查安全设置。',

  'error.enforced': '本站要求启用双因素认证才能使用仓库。请在账号的安全设置中启用：{url}',
  'security.fixed': '此项由本站管理员或您的账号所属的目录管理。',
  'error.keyTooMany': '每个账号最多可有 {max, number} 个安全密钥和通行密钥。',
  'error.ownSource': '此站点要求双因素认证：请使用 {source} 登录，它会要求第二重验证。',
};
