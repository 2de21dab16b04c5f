/**
 * The contract of `projects`: boards of repositories, organizations and users, their columns and cards, and what happens
 * to them. Types, references, events and the schemas of the REST models; no behaviour.
 */
export { projectChanged, projectColumnChanged, projectCardChanged } from './contract/events.js';
export { ruleEvents, viewLayouts } from './contract/fields.js';
export * from './contract/limits.js';
export { type ImportedProject, type ImportedField, type Projects, projects } from './contract/projects.js';
