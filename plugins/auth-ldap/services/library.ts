import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loaded when a directory is first set up or asked: a start does without. */
export const ldapts = () => require('ldapts') as typeof import('ldapts');
