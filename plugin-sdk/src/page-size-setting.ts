import { Joi } from './joi.js';

/** A setting that says how many entries one page of a list has: 1 to 100. */
export const pageSizeSetting = (fallback: number): Joi.NumberSchema =>
  Joi.number().integer().min(1).max(100).default(fallback);
