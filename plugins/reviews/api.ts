/**
 * The contract of `reviews`: what people think of pull requests, their comments on lines, whom they are asked of, and what
 * happens to all that. No behaviour.
 */
export * from './contract/imports.js';
export { type ReviewEvent, reviewChanged } from './contract/reviews.js';
