import { Joi } from './joi.js';

/**
 * The schema of a switch in a query: `true` and `false` in the spellings that clients use (`True`, `t`, `1`, `on`);
 * with nothing behind it, the same as absent. 422 for anything else.
 */
export const queryFlag = (): Joi.BooleanSchema =>
  Joi.boolean().empty('').truthy('1', 't', 'on', 'yes').falsy('0', 'f', 'off', 'no');
