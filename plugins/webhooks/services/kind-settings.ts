import { formatList, Invalid, invalidInput, textOf, type Text, type Encryption } from '@mortise/plugin-sdk';
import type { HookSetting, WebhookKind } from '../contract/webhooks.js';
import { t } from '../texts/index.js';

type Settings = Readonly<Record<string, string>>;

const maxLength = 2000;

/** Checks the kind's own fields of `config`; all values become strings. */
export function checkSettings(kind: WebhookKind, config: Readonly<Record<string, unknown>>): Record<string, string> {
  const given: Record<string, string> = {};
  for (const setting of kind.settings ?? []) {
    const { name, required, label } = setting;
    const value = config[name];
    if (value !== undefined && value !== null && typeof value !== 'object')
      given[name] = String(value).slice(0, maxLength);
    const at = (text: Text) => ({ text, inputs: { [`setting_${name}`]: text } });
    if (required && !given[name])
      throw Invalid(`config.${name} is required`, at(t.later('error.settingRequired', { field: () => textOf(label) })));
    const fault = given[name] ? settingProblem(setting, given[name]) : undefined;
    if (fault) throw Invalid(`config.${name} ${fault.message}`, at(fault.text));
  }
  if (!kind.schema) return given;
  const checked = kind.schema.validate(given, { stripUnknown: true });
  if (checked.error) {
    const names = Object.fromEntries((kind.settings ?? []).map(({ name, label }) => [name, label]));
    throw Invalid(`config is invalid: ${checked.error.message}`, { text: invalidInput(checked.error, names).text });
  }
  return Object.fromEntries(
    Object.entries(checked.value as Record<string, unknown>).map(([name, value]) => [name, String(value)]),
  );
}

/** A problem of a value: as a suffix of its name for the API, and as a sentence for forms. */
interface SettingProblem {
  readonly message: string;
  readonly text: Text;
}

function settingProblem(setting: HookSetting, value: string): SettingProblem | undefined {
  const { type = 'text', options = [], min = -Infinity, max = Infinity } = setting;
  const field = () => textOf(setting.label);
  switch (type) {
    case 'select': {
      if (options.some((one) => one.value === value)) return undefined;
      const values = () =>
        formatList(
          options.map((one) => textOf(one.label)),
          'disjunction',
        );
      return {
        message: `must be one of ${options.map((one) => one.value).join(', ')}`,
        text: t.later('error.settingChoice', { field, values }),
      };
    }
    case 'checkbox':
      if (value === 'true' || value === 'false') return undefined;
      return { message: 'must be true or false', text: t.later('error.settingBox', { field }) };
    case 'number': {
      const number = Number(value);
      if (!Number.isFinite(number))
        return { message: 'must be a number', text: t.later('error.settingNumber', { field }) };
      if (number >= min && number <= max) return undefined;
      return {
        message: `must lie between ${min} and ${max}`,
        text: number < min ? t.later('error.settingMin', { field, min }) : t.later('error.settingMax', { field, max }),
      };
    }
    default:
      return undefined;
  }
}

const passwords = (kind: WebhookKind | undefined): string[] =>
  (kind?.settings ?? []).filter((one) => one.type === 'password').map((one) => one.name);

/** When the host changes, passwords must be entered again, so that a stored one cannot be sent to another host. */
export function checkPasswordsGiven(
  kind: WebhookKind,
  before: Settings,
  config: Readonly<Record<string, unknown>>,
): void {
  for (const { name, type, label } of kind.settings ?? []) {
    if (type !== 'password' || !before[name] || typeof config[name] === 'string') continue;
    const text = t.later('error.settingAgain', { field: () => textOf(label) });
    throw Invalid(`config has another host than before. Enter config.${name} again.`, {
      text,
      inputs: { [`setting_${name}`]: text },
    });
  }
}

const withPasswords = (kind: WebhookKind | undefined, settings: Settings, change: (text: string) => string) => {
  const names = new Set(passwords(kind));
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, names.has(name) ? change(value) : value]),
  );
};

/** As they are stored: passwords unreadable. */
export const encryptSettings = (
  encryption: Encryption,
  kind: WebhookKind,
  settings: Settings,
): Record<string, string> => withPasswords(kind, settings, (text) => encryption.encrypt(text));

/** As the kind gets them. */
export const decryptSettings = (
  encryption: Encryption,
  kind: WebhookKind | undefined,
  settings: Settings,
): Record<string, string> => withPasswords(kind, settings, (text) => encryption.decrypt(text));

/** As anybody may see them: without passwords. */
export function publicSettings(kind: WebhookKind | undefined, settings: Settings): Record<string, string> {
  const names = new Set(passwords(kind));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.has(name)));
}

/** The values that must not stay readable in the history of deliveries. */
export const secretValues = (kind: WebhookKind, opened: Settings): string[] =>
  passwords(kind).flatMap((name) => (opened[name] ? [opened[name]] : []));
