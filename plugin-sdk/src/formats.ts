import { currentLanguage } from './language.js';
import { t } from './texts/index.js';

/** Made once for each language and style: making one takes a hundred times as long as using it. */
function remembered<T>(make: (tag: string, style: string) => T): (style: string) => T {
  const made = new Map<string, T>();
  return (style) => {
    const { tag } = currentLanguage('a number or date');
    const key = `${tag} ${style}`;
    let one = made.get(key);
    if (!one) made.set(key, (one = make(tag, style)));
    return one;
  };
}

/** Many texts of a page are those of the page before: ICU takes ten times as long to make one as this to find it. */
function kept(make: (value: number, style: string) => string): (value: number, style: string) => string {
  const made = new Map<string, string>();
  return (value, style) => {
    const key = `${currentLanguage('a number or date').tag} ${style} ${value}`;
    let text = made.get(key);
    if (text !== undefined) return text;
    if (made.size >= maxKept) made.clear();
    made.set(key, (text = make(value, style)));
    return text;
  };
}
const maxKept = 1000;

const dateStyles = {
  /** 3 May 2026 */
  day: { dateStyle: 'medium' },
  /** 3 May 2026, 14:05 */
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  /** Sunday, 3 May 2026 at 14:05:09 UTC */
  full: { dateStyle: 'full', timeStyle: 'long' },
  /** May 2026 */
  month: { year: 'numeric', month: 'long' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
type DateStyle = keyof typeof dateStyles;

const numbers = remembered((tag, digits) => new Intl.NumberFormat(tag, { maximumFractionDigits: Number(digits) }));
const percents = remembered(
  (tag, digits) => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: Number(digits) }),
);
const dates = remembered(
  (tag, style) => new Intl.DateTimeFormat(tag, { ...dateStyles[style as DateStyle], timeZone: 'UTC' }),
);
const relatives = remembered((tag) => new Intl.RelativeTimeFormat(tag));
const lists = remembered((tag, type) => new Intl.ListFormat(tag, { type: type as 'conjunction' | 'disjunction' }));

/** 6158 → "6,158"; at most `digits` after the point, default 0. */
export const formatNumber = (value: number, digits = 0): string => numbers(String(digits)).format(value);

/** 0.125 → "12.5%"; at most `digits` after the point, default 1. */
export const formatPercent = (share: number, digits = 1): string => percents(String(digits)).format(share);

const dateText = kept((time, style) => dates(style).format(time));
const agoText = kept((count, unit) => relatives('').format(count, unit as Intl.RelativeTimeFormatUnit));

/** A time in milliseconds since 1970 UTC, in UTC; empty for times that no calendar holds. */
export const formatDate = (time: number, style: DateStyle = 'day'): string =>
  Number.isNaN(new Date(time).getTime()) ? '' : dateText(time, style);

/** "ada, grace and linus" */
export const formatList = (names: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string =>
  lists(type).format(names);

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** 1536 → "1.5 KiB" */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; Math.abs(value) >= 1024 && unit < sizes.length - 1; unit++) value /= 1024;
  return `${formatNumber(value, unit > 0 ? 1 : 0)} ${sizes[unit]}`;
}

const spans: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [604_800, 'week'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
];

/** How long ago a time was, in words: "3 days ago", "just now"; what lies ahead counts as now. */
export function formatAgo(time: number, now = Date.now()): string {
  const seconds = Math.max(0, (now - time) / 1000);
  const span = spans.find(([length]) => seconds >= length);
  return span ? agoText(-Math.floor(seconds / span[0]), span[1]) : t('time.now');
}
