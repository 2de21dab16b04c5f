import { Problem, type ContentSources, type Logger, type Outbound } from '@mortise/plugin-sdk';
import type { Captcha } from '@mortise/sessions/api';
import { Widget } from '../pages/question.js';
import type { ProviderSettings } from '../settings.js';
import { t } from '../texts/index.js';

/** A service whose script asks people in the browser, and that tells us afterwards whether its answer is right. */
export interface VerifyingService {
  readonly key: string;
  /** Field of the form that its script fills. */
  readonly field: string;
  /** Class of the element that its script fills. */
  readonly class: string;
  readonly script: string;
  readonly verifyUrl: string;
  readonly siteKey: string;
  readonly secret: string;
  readonly sources: ContentSources;
}

const timeoutMs = 10_000;
const maxResponseBytes = 65_536;

/** The services that are known, as the settings set them. */
export function verifyingServices(settings: ProviderSettings): readonly VerifyingService[] {
  const recaptcha = settings.RECAPTCHA_URL.replace(/\/*$/, '/');
  const hosts = (...sources: string[]) => sources;
  const hcaptcha = hosts('https://hcaptcha.com', 'https://*.hcaptcha.com');
  const turnstile = hosts('https://challenges.cloudflare.com');
  return [
    {
      key: 'recaptcha',
      field: 'g-recaptcha-response',
      class: 'g-recaptcha',
      script: `${recaptcha}api.js`,
      verifyUrl: `${recaptcha}api/siteverify`,
      siteKey: settings.RECAPTCHA_SITEKEY,
      secret: settings.RECAPTCHA_SECRET,
      sources: {
        'script-src': hosts(recaptcha, 'https://www.gstatic.com/recaptcha/'),
        'frame-src': hosts(recaptcha, 'https://recaptcha.google.com/recaptcha/'),
      },
    },
    {
      key: 'hcaptcha',
      field: 'h-captcha-response',
      class: 'h-captcha',
      script: 'https://js.hcaptcha.com/1/api.js',
      verifyUrl: settings.HCAPTCHA_VERIFY_URL,
      siteKey: settings.HCAPTCHA_SITEKEY,
      secret: settings.HCAPTCHA_SECRET,
      sources: { 'script-src': hcaptcha, 'frame-src': hcaptcha, 'style-src': hcaptcha, 'connect-src': hcaptcha },
    },
    {
      key: 'cfturnstile',
      field: 'cf-turnstile-response',
      class: 'cf-turnstile',
      script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
      verifyUrl: settings.CF_TURNSTILE_VERIFY_URL,
      siteKey: settings.CF_TURNSTILE_SITEKEY,
      secret: settings.CF_TURNSTILE_SECRET,
      sources: { 'script-src': turnstile, 'frame-src': turnstile },
    },
  ];
}

/** A captcha of such a service. Nothing of the person is told to it but their answer. */
export const verifiedCaptcha =
  (service: VerifyingService, log: Pick<Logger, 'warn'>) =>
  ({ outbound }: { readonly outbound: Outbound }): Captcha => ({
    key: service.key,
    fields: [service.field],
    sources: service.sources,
    render: () => <Widget class={service.class} siteKey={service.siteKey} script={service.script} />,
    async check(values) {
      const response = values[service.field] ?? '';
      if (response === '') return false;
      try {
        const answer = await outbound.fetch(service.verifyUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
          body: new URLSearchParams({ secret: service.secret, response, sitekey: service.siteKey }).toString(),
          // the operator has named it
          allowedHosts: '*',
          redirect: 'manual',
          timeoutMs,
          maxResponseBytes,
        });
        if (answer.status !== 200) throw new Error(`the answer is ${answer.status}`);
        return (JSON.parse(answer.body.toString('utf8')) as { readonly success?: unknown } | null)?.success === true;
      } catch (error) {
        log.warn('a captcha could not be verified', { service: service.key, error });
        throw new Problem('unavailable', t.later('error.unavailable'));
      }
    },
  });
