import { raw, type RawBuilder } from 'objection';

/**
 * The operand of `like ? escape '!'` for what contains the text, whatever the case: `%` and `_` in it mean themselves, on
 * every engine. The column is in lower case.
 */
export const likePattern = (text: string): string => `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`;

/**
 * The condition, for `where` and `orWhere` of a query on a model, that a column in lower case contains the text, whatever the
 * case of the text.
 */
export const contains = (column: string, text: string): RawBuilder =>
  raw("?? like ? escape '!'", column, likePattern(text));

/** The same of a column in any case; no index helps. */
export const containsInAnyCase = (column: string, text: string): RawBuilder =>
  raw("lower(??) like ? escape '!'", column, likePattern(text));
