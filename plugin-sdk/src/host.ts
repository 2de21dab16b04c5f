/** For the kernel only: what it shares with the SDK beyond the authors' contract. */
export * from './index.js';
export { checkCron, nextTime } from './cron-expression.js';
export { renderWhole, renderDeferred } from './chunked-render.js';
export { setFragmentRenderer } from './fragment-cache.js';
export { findCatalogue } from './catalogue-registry.js';
export { noteRequestsRead } from './per-tick-memo.js';
