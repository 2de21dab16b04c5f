/** All of objection that Mortise uses: `npm run build` makes one file of it (docs/decisions/0012). */
export { Model } from 'objection';
