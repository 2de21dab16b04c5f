export * from './log.js';
export * from './metrics.js';
export * from './outputs.js';
export * from './settings.js';
