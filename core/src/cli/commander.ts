/** `npm run build` makes one file of it (docs/decisions/0012). */
export { Command } from 'commander';
