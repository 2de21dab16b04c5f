import { Joi } from '@mortise/plugin-sdk';

export interface RegistrationSettings {
  DISABLE_REGISTRATION: boolean;
  ALLOW_ONLY_INTERNAL_REGISTRATION: boolean;
  ALLOW_ONLY_EXTERNAL_REGISTRATION: boolean;
  SHOW_REGISTRATION_BUTTON: boolean;
  ENABLE_PASSWORD_SIGNIN_FORM: boolean;
  EMAIL_DOMAIN_ALLOWLIST: string;
  EMAIL_DOMAIN_BLOCKLIST: string;
  REGISTER_MANUAL_CONFIRM: boolean;
  REGISTER_EMAIL_CONFIRM: boolean;
  RESET_PASSWD_CODE_LIVE_MINUTES: number;
}

/** `[service]`, the part about registering and signing in. */
export const registrationSettings = Joi.object<RegistrationSettings, true>({
  DISABLE_REGISTRATION: Joi.boolean()
    .default(false)
    .description('Nobody can register; administrators make the accounts.'),
  ALLOW_ONLY_INTERNAL_REGISTRATION: Joi.boolean()
    .default(false)
    .description('Nobody gets an account here because another provider knows them.'),
  ALLOW_ONLY_EXTERNAL_REGISTRATION: Joi.boolean()
    .default(false)
    .description('Accounts come from other login sources only.'),
  SHOW_REGISTRATION_BUTTON: Joi.boolean().default(true).description('Show the way to the registration page.'),
  ENABLE_PASSWORD_SIGNIN_FORM: Joi.boolean()
    .default(true)
    .description('The sign-in page takes name and password; false: only the other ways to sign in.'),
  EMAIL_DOMAIN_ALLOWLIST: Joi.string()
    .allow('')
    .default('')
    .description('Only addresses of these domains may register; separated by commas, * is a wildcard.'),
  EMAIL_DOMAIN_BLOCKLIST: Joi.string()
    .allow('')
    .default('')
    .description('Addresses of these domains may not register.'),
  REGISTER_MANUAL_CONFIRM: Joi.boolean()
    .default(false)
    .description('An administrator has to activate new accounts; counts only without REGISTER_EMAIL_CONFIRM.'),
  REGISTER_EMAIL_CONFIRM: Joi.boolean()
    .default(false)
    .description(
      'New accounts have to be activated by a link in a mail to their address. While mail is off, an administrator activates them.',
    ),
  RESET_PASSWD_CODE_LIVE_MINUTES: Joi.number()
    .integer()
    .min(1)
    .max(525_600)
    .default(180)
    .description('Minutes for which the links in mails for forgotten passwords are good.'),
});

export interface CaptchaSettings {
  ENABLE_CAPTCHA: boolean;
  REQUIRE_CAPTCHA_FOR_LOGIN: boolean;
  REQUIRE_EXTERNAL_REGISTRATION_CAPTCHA: boolean;
  CAPTCHA_TYPE: string;
}

/** `[service]`, the part about telling people from programs. */
export const captchaSettings = Joi.object<CaptchaSettings, true>({
  ENABLE_CAPTCHA: Joi.boolean().default(false).description('Who registers has to solve a captcha.'),
  REQUIRE_CAPTCHA_FOR_LOGIN: Joi.boolean()
    .default(false)
    .description('Signing in with a password asks for a captcha, too; counts only with ENABLE_CAPTCHA.'),
  REQUIRE_EXTERNAL_REGISTRATION_CAPTCHA: Joi.boolean()
    .default(false)
    .description(
      'Who comes from another provider and makes an account has to solve a captcha, too; counts only with ENABLE_CAPTCHA.',
    ),
  CAPTCHA_TYPE: Joi.string()
    .token()
    .lowercase()
    .invalid('mcaptcha')
    .default('image')
    .description('Which captcha: image, which is made here, or recaptcha, hcaptcha or cfturnstile.')
    .meta({ compatible: [{ from: /^mcaptcha$/i, to: 'image' }] }),
});

export interface SessionSettings {
  COOKIE_NAME: string;
  SESSION_LIFE_TIME: number;
}

/** `[session]` */
export const sessionSettings = Joi.object<SessionSettings, true>({
  COOKIE_NAME: Joi.string().token().default('mortise_session').description('Name of the session cookie.'),
  SESSION_LIFE_TIME: Joi.number()
    .integer()
    .min(60)
    .default(86400)
    .description('Seconds without use after which a session ends.'),
});

interface RememberSettings {
  LOGIN_REMEMBER_DAYS: number;
}

/** `[security]`, the part about remembered browsers. */
export const rememberSettings = Joi.object<RememberSettings, true>({
  LOGIN_REMEMBER_DAYS: Joi.number().integer().min(1).default(31).description('Days for which a browser is remembered.'),
});
