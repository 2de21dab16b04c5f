import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'security.title': '安全',
  'security.password': '当前密码',
  'security.enforced': '本站要求启用双因素认证。在设置验证器应用或安全密钥之前，你无法访问任何仓库。',

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
  'error.password': '密码错误。',
  'error.signInAgain': '请退出并重新登录后再进行此更改。',
  'error.tooLate': '操作超时，请重新开始。',
  'error.noFactor': '尚未设置双因素认证。',
  'error.basicMissing': '已启用双因素认证：请在 X-Gitea-OTP 标头中发送一次性验证码，或使用访问令牌',
  'error.basicWrong': '一次性验证码错误或已被使用',
  'error.basicKey': '已注册安全密钥：此处不接受密码，请使用访问令牌',
};
