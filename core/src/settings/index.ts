export * from './registry.js';
export * from './ini.js';
export * from './kernel.js';
export * from './reference.js';
export * from './site.js';
