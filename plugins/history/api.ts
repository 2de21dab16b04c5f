/**
 * The contract of `history`: commits in the REST surface and on pages, comparisons, differences, what signatures prove,
 * and what every page of code is made of: revisions, addresses and parts.
 */
export * from './contract/bidi.js';
export * from './contract/code-body.js';
export * from './contract/commits.js';
export * from './contract/comparisons.js';
export * from './contract/corrupt-object.js';
export * from './contract/diffs.js';
export * from './contract/lfs-pointer.js';
export * from './contract/missing-page.js';
export * from './contract/pages.js';
export * from './contract/commit-bar.js';
export * from './contract/ref-picker.js';
export * from './contract/revisions.js';
export * from './contract/routes.js';
export * from './contract/schemas.js';
export * from './contract/signature-badge.js';
export * from './contract/signatures.js';
