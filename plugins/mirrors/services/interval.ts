import type { Text } from '@mortise/plugin-sdk';
import { formatInterval } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Reads `8h`, `1h30m0s`, `0`; gives milliseconds, undefined for anything else. */
export function parseInterval(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g))
    total += Number(amount) * units[unit!]!;
  // what is less than a millisecond is not none
  const interval = total < 1 ? Math.ceil(total) : Math.round(total);
  return Number.isSafeInteger(interval) ? interval : undefined;
}

/** As people write it: `8h` for `8h0m0s`. */
export const shortInterval = (ms: number): string => formatInterval(ms).replace(/m0s$/, 'm').replace(/h0m$/, 'h');

const shortestMs = 60_000;
/** A year: times beyond what dates hold cannot be shown, nor reached. */
export const maxIntervalMs = 365 * 86_400_000;
/** Of what is typed. */
export const maxIntervalLength = 40;

/** What was typed as an interval, in milliseconds, or why it cannot be used. */
export function checkInterval(
  text: string,
  siteMinMs: number,
): { readonly interval: number } | { readonly problem: Text } {
  const value = text.trim();
  const interval = parseInterval(value);
  if (interval === undefined) return { problem: t.later('error.interval', { value: value.slice(0, 100) }) };
  const min = Math.max(siteMinMs, shortestMs);
  if (interval && interval < min)
    return { problem: t.later('error.intervalShort', { value: value.slice(0, 100), min: shortInterval(min) }) };
  if (interval > maxIntervalMs)
    return {
      problem: t.later('error.intervalLong', { value: value.slice(0, 100), max: shortInterval(maxIntervalMs) }),
    };
  return { interval };
}
