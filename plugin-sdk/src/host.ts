/** For the kernel only: what it shares with the SDK beyond the authors' contract. */
export * from './index.js';
export { withoutTurns } from './in-turns.js';
export { requestsAreRead } from './turn.js';
