import type { SettingState } from '@mortise/plugin-sdk';
import type { DeclaredSetting } from './declared-setting.js';

/** Texts whose names say that nobody is to read them, also where a plugin forgot to mark them. */
const looksSecret = /(^|_)(PASSWORD|PASSWD|SECRET|TOKEN|ACCESS_KEY|PRIVATE_KEY|API_KEY)$/i;

/** `redis://:word@host` and `user:word@tcp(host)` without the word. */
const withoutPasswords = (text: string) =>
  text.replace(/(\w:\/\/[^\s/:@]*):[^\s@]+@/g, '$1:***@').replace(/\b(password|pwd)=[^\s&;,]+/gi, '$1=***');

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value !== 'object' && value !== undefined;

/** As it would be written: what a plugin makes of the text, such as a pattern, reads worse than the text itself. */
const asText = (value: unknown, written: string): string =>
  isPlain(value)
    ? String(value)
    : Array.isArray(value) && value.every((one) => isPlain(one))
      ? value.join(', ')
      : written;

/** A setting as pages may show it. */
export function redactedState(
  one: DeclaredSetting &
    Pick<SettingState, 'source' | 'from'> & { readonly value: unknown; readonly written: string | undefined },
): SettingState {
  const { secret, value, written, ...about } = one;
  // as it was written where it refers to other settings: they may be secret
  const text = written?.includes('%(') ? written : asText(value, written ?? about.defaultText);
  const isSecret = secret || (about.type === 'text' && looksSecret.test(about.key));
  return {
    ...about,
    isSecret,
    value: isSecret ? undefined : withoutPasswords(text),
    isSet: isSecret ? text !== '' : about.source !== 'default',
  };
}
