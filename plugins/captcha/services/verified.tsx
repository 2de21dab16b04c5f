import { Problem, type ContentSources, type Logger, type Outbound } from '@mortise/plugin-sdk';
import type { Captcha } from '@mortise/sessions/api';
import { Widget } from '../pages/question.js';
import type { ProviderSettings } from '../settings.js';
import { t } from '../texts/index.js';

/** A service whose script asks people in the browser, and that tells us afterwards whether its answer is right. */
interface VerifyingService {
  readonly key: string;
  /** Names of the settings of its keys. */
  readonly keyNames: string;
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

/** What they answer to sites whose keys are wrong. */
const keyErrors: ReadonlySet<unknown> = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'invalid-keys',
  'missing-input-sitekey',
  'invalid-input-sitekey',
  'sitekey-secret-mismatch',
]);

interface Verdict {
  readonly success?: unknown;
  readonly 'error-codes'?: unknown;
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
      keyNames: 'RECAPTCHA_SITEKEY and RECAPTCHA_SECRET',
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
      keyNames: 'HCAPTCHA_SITEKEY and HCAPTCHA_SECRET',
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
      keyNames: 'CF_TURNSTILE_SITEKEY and CF_TURNSTILE_SECRET',
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
    checkSettings() {
      if (service.siteKey === '' || service.secret === '')
        throw new Error(`[service] ${service.keyNames}: the captcha "${service.key}" needs both`);
    },
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
        const said = JSON.parse(answer.body.toString('utf8')) as Verdict | null;
        const wrongKey = [said?.['error-codes']].flat().find((code) => keyErrors.has(code));
        // nobody could solve it: that is not the fault of who tries
        if (wrongKey !== undefined) throw new Error(`the keys in the settings are not taken: ${String(wrongKey)}`);
        return said?.success === true;
      } catch (error) {
        log.warn('could not verify a captcha', { event: 'captcha.verify', service: service.key, error });
        throw new Problem('unavailable', t.later('error.unavailable'));
      }
    },
  });
