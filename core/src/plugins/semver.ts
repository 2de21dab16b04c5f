/** All of semver that the kernel uses: `npm run build` makes one file of it (docs/decisions/0012). */
export { default as gt } from 'semver/functions/gt.js';
export { default as lt } from 'semver/functions/lt.js';
export { default as satisfies } from 'semver/functions/satisfies.js';
export { default as valid } from 'semver/functions/valid.js';
export { default as validRange } from 'semver/ranges/valid.js';
