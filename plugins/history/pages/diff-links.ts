import type { DiffQuery } from '../contract/diffs.js';

/** Address of the same diff, shown otherwise. */
export const link = (query: DiffQuery, change: Partial<DiffQuery>, anchor = '') => {
  const all = { ...query, piece: undefined, ...change };
  const words = Object.entries(all).flatMap(([key, value]) =>
    value === undefined || value === ''
      ? []
      : [`${key}=${encodeURIComponent(String(value)).replace(/%(2C|3A|2F)/g, decodeURIComponent)}`],
  );
  return `?${words.join('&')}${anchor}`;
};
