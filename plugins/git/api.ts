/**
 * The public contract of `git`: where repositories lie, how they are read without starting processes, and the one
 * gate through which every reference moves.
 */
export * from './contract/names.js';
export * from './contract/store.js';
export * from './contract/reading.js';
export * from './contract/facts.js';
export * from './contract/references.js';
export * from './contract/receiving.js';
export * from './contract/text.js';
export * from './contract/message.js';
export * from './contract/writing.js';
export * from './contract/processes.js';
export * from './contract/remotes.js';
export * from './contract/folders.js';
