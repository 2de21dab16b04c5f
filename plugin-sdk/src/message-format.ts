/** All of intl-messageformat that Mortise uses: `npm run build` makes one file of it (docs/decisions/0012). */
export { IntlMessageFormat } from 'intl-messageformat';
