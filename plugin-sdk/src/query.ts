import { Joi } from './joi.js';

/**
 * The schema of a switch in a query: `true` and `false` in the spellings that clients use (`True`, `t`, `1`, `on`);
 * with nothing behind it, the same as absent. 422 for anything else.
 */
export const queryFlag = (): Joi.BooleanSchema =>
  Joi.boolean().empty('').truthy('1', 't', 'on', 'yes').falsy('0', 'f', 'off', 'no');

/**
 * How an answer is paged that is no plain list, for its documents: those of lists tell it by themselves. The kernel reads
 * both, whatever is sent.
 */
export const pagingQuery: { readonly page: Joi.AnySchema; readonly limit: Joi.AnySchema } = {
  page: Joi.any().description('Number of the page, from 1'),
  limit: Joi.any().description('Entries per page'),
};
