/**
 * The contract of `projects`: boards of repositories, organizations and users, their columns and cards, and what happens
 * to them. Types, references, events and the schemas of the REST models; no behaviour.
 */
export * from './contract/events.js';
export * from './contract/fields.js';
export * from './contract/limits.js';
export * from './contract/models.js';
export * from './contract/projects.js';
