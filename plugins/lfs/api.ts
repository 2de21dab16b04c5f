/**
 * The contract of `lfs`: what a pointer file is, and how other plugins reach the content that pointers name.
 */
export { type LfsPointer, formatPointer, type LfsObjects, lfsObjects } from './contract/lfs.js';
