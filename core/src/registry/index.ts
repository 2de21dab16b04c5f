export * from './check-declarations.js';
export * from './check-routes.js';
export * from './container.js';
export * from './declarations.js';
export * from './plugin-host.js';
export * from './points.js';
export * from './tables.js';
