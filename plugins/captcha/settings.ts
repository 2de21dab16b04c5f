import { Joi } from '@mortise/plugin-sdk';

export interface ProviderSettings {
  RECAPTCHA_URL: string;
  RECAPTCHA_SITEKEY: string;
  RECAPTCHA_SECRET: string;
  HCAPTCHA_SITEKEY: string;
  HCAPTCHA_SECRET: string;
  HCAPTCHA_VERIFY_URL: string;
  CF_TURNSTILE_SITEKEY: string;
  CF_TURNSTILE_SECRET: string;
  CF_TURNSTILE_VERIFY_URL: string;
}

const key = (description: string) => Joi.string().allow('').default('').description(description);
const address = (preset: string, description: string) =>
  Joi.string()
    .uri({ scheme: ['https', 'http'] })
    .default(preset)
    .description(description);

/** `[service]`, keys of services that tell people from programs. */
export const providerSettings = Joi.object<ProviderSettings, true>({
  RECAPTCHA_URL: address(
    'https://www.google.com/recaptcha/',
    'Where reCAPTCHA is: its script, frames and verification lie below.',
  ),
  RECAPTCHA_SITEKEY: key('Site key of reCAPTCHA (version 2, checkbox).'),
  RECAPTCHA_SECRET: key('Secret of reCAPTCHA.'),
  HCAPTCHA_SITEKEY: key('Site key of hCaptcha.'),
  HCAPTCHA_SECRET: key('Secret of hCaptcha.'),
  HCAPTCHA_VERIFY_URL: address('https://api.hcaptcha.com/siteverify', 'Where answers of hCaptcha are verified.'),
  CF_TURNSTILE_SITEKEY: key('Site key of Cloudflare Turnstile.'),
  CF_TURNSTILE_SECRET: key('Secret of Cloudflare Turnstile.'),
  CF_TURNSTILE_VERIFY_URL: address(
    'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    'Where answers of Cloudflare Turnstile are verified.',
  ),
});
