/** For the kernel only: what it shares with the SDK beyond the authors' contract. */
export * from './index.js';
export { atOnce, withoutTurns } from './in-turns.js';
export { keepPartsWith } from './kept-part.js';
export { catalogueOf } from './known-catalogues.js';
export { requestsAreRead } from './turn.js';
