import { Joi } from './joi.js';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads `30s`, `1h30m`, `1.5h` or plain seconds; gives whole milliseconds, or undefined for anything else. */
export function parseDuration(text: string | number): number | undefined {
  if (typeof text === 'number') return text >= 0 ? text * 1000 : undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/g))
    total += Number(amount) * units[unit!]!;
  return Math.round(total);
}

/** A setting that says how long or how old, such as `10m` or `168h`; its value is in milliseconds. */
export const durationSetting = (fallback: string): Joi.NumberSchema<number> =>
  Joi.any()
    .custom((value: string | number, helpers) => parseDuration(value) ?? helpers.error('any.invalid'))
    .default(parseDuration(fallback))
    .meta({ default: fallback }) as unknown as Joi.NumberSchema<number>;
