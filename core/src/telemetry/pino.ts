/** `npm run build` makes one file of it (docs/decisions/0012). */
export { default as pino } from 'pino';
