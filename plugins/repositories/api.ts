/**
 * The contract of `repositories`: what a repository is, who may do what with it, how it is shown, and what happens to
 * it. Types, references, events, points and the schema of the REST model, and what routes and pages of a repository
 * have in common.
 */
export * from './contract/access.js';
export * from './contract/archived.js';
export * from './contract/blocks.js';
export * from './contract/commits.js';
export * from './contract/events.js';
export * from './contract/features.js';
export * from './contract/jobs.js';
export * from './contract/orphan-cleanup.js';
export * from './contract/creation.js';
export * from './contract/mirror.js';
export * from './contract/model.js';
export * from './contract/pages.js';
export * from './contract/form-fields.js';
export * from './contract/relations.js';
export * from './contract/repositories.js';
export * from './contract/routes.js';
export * from './contract/signature.js';
export * from './contract/units.js';
