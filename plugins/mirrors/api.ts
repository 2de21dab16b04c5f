/** The contract of `mirrors`: repositories that follow others, for plugins that make them. */
export { type PullMirrors, pullMirrors } from './contract/mirrors.js';
