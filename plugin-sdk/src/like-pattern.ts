/**
 * The operand of `like ? escape '!'` for what contains the text, whatever the case: `%` and `_` in it mean themselves, on
 * every engine. The column is in lower case.
 */
export const likePattern = (text: string): string => `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
