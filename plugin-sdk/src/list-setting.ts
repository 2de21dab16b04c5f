import { Joi } from './joi.js';

/** `a, b,,c` → `a`, `b`, `c`. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

/** A setting that is a list of words with commas between; `read` cuts its text. */
export const listSetting = (
  fallback: string,
  read: (text: string) => readonly string[] = splitList,
): Joi.ArraySchema<readonly string[]> =>
  Joi.any()
    .custom((value: unknown) => (Array.isArray(value) ? value : read(String(value))))
    .default(read(fallback))
    .meta({ default: fallback }) as unknown as Joi.ArraySchema<readonly string[]>;
