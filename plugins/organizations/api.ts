/**
 * The contract of `organizations`: what organizations and teams are, who belongs to them, how they are shown, and what
 * happens to them. Types, references, points and the schemas of the REST models; no behaviour.
 */
export * from './contract/group-teams.js';
export * from './contract/organizations.js';
export * from './contract/pages.js';
export * from './contract/teams.js';
