/**
 * The version of the REST surface, as clients know it that look for one: they decide by it what they may ask. The
 * product's own version stands in `package.json` and at the foot of every page.
 */
export const compatibleVersion = '1.27.0';
