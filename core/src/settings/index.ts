export * from './check.js';
export * from './counterparts.js';
export * from './compatible-page.js';
export * from './registry.js';
export * from './ini.js';
export * from './kernel.js';
export * from './reference.js';
export * from './site.js';
