/** Bundled into one file by the build: see `core/bin/build.mjs`. */
export { default as highlighting } from 'highlight.js';
