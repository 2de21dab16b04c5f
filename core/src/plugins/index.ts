export * from './choose.js';
export * from './discover.js';
export * from './errors.js';
export * from './load.js';
export * from './order.js';
