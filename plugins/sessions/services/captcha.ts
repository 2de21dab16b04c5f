import { Invalid, type PointReader } from '@mortise/plugin-sdk';
import type { Captcha, CaptchaForm, FormCaptcha } from '../contract/sessions.js';
import type { CaptchaSettings } from '../settings.js';
import { t } from '../texts/index.js';

const maxAnswer = 8192;

/** Asks for the captcha of the settings, in the forms of the settings. */
export class CaptchaOfForms implements FormCaptcha {
  constructor(
    private readonly captchas: PointReader<Captcha>,
    private readonly settings: CaptchaSettings,
  ) {}

  /** Throws when the settings want a captcha that nobody brings or can solve: forms must not stand open or shut in silence. */
  checkSettings(): void {
    const { ENABLE_CAPTCHA: isOn, CAPTCHA_TYPE: type } = this.settings;
    if (!isOn) return;
    const captcha = this.captchas.get(type);
    if (!captcha)
      throw new Error(`[service] CAPTCHA_TYPE: no plugin brings the captcha "${type}"; is the plugin captcha on?`);
    captcha.checkSettings?.();
  }

  get fields(): readonly string[] {
    return this.settings.ENABLE_CAPTCHA ? (this.#captcha()?.fields ?? []) : [];
  }

  async part(form: CaptchaForm) {
    const captcha = this.#isAsked(form) ? this.#captcha() : undefined;
    if (!captcha) return undefined;
    return { node: await captcha.render(form), ...(captcha.sources && { sources: captcha.sources }) };
  }

  async check(form: CaptchaForm, values: Readonly<Record<string, unknown>>): Promise<void> {
    const captcha = this.#isAsked(form) ? this.#captcha() : undefined;
    if (!captcha) return;
    const own: Record<string, string> = {};
    for (const field of captcha.fields) {
      const value = values[field];
      own[field] = typeof value === 'string' ? value.slice(0, maxAnswer) : '';
    }
    if (await captcha.check(own)) return;
    const text = t.later('error.captcha');
    throw Invalid(text, { inputs: { [captcha.fields[0]!]: text } });
  }

  #isAsked(form: CaptchaForm): boolean {
    const { ENABLE_CAPTCHA, REQUIRE_CAPTCHA_FOR_LOGIN, REQUIRE_EXTERNAL_REGISTRATION_CAPTCHA } = this.settings;
    if (!ENABLE_CAPTCHA) return false;
    return { register: true, 'sign-in': REQUIRE_CAPTCHA_FOR_LOGIN, external: REQUIRE_EXTERNAL_REGISTRATION_CAPTCHA }[
      form
    ];
  }

  #captcha(): Captcha | undefined {
    return this.captchas.get(this.settings.CAPTCHA_TYPE);
  }
}
