import { Joi } from './joi.js';

/** A setting that says how old something must be to be deleted, in hours or minutes; read it with {@link ageOf}. */
export const ageSetting = (fallback: string): Joi.StringSchema =>
  Joi.string()
    .pattern(/^\d+[hm]$/)
    .default(fallback)
    .description('How old: 8760h, 90m.');

/** `8760h` in milliseconds. */
export const ageOf = (text: string): number => parseInt(text, 10) * (text.endsWith('h') ? 3_600_000 : 60_000);
