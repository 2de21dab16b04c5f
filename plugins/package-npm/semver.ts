/** All of semver that the registry uses: `npm run build` makes one file of it (docs/decisions/0012). */
export { default as parse } from 'semver/functions/parse.js';
export { default as validRange } from 'semver/ranges/valid.js';
