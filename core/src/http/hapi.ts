/** All of hapi that the kernel runs: `npm run build` makes one file of it (docs/decisions/0012). */
export { server } from '@hapi/hapi';
