/** Bundled into one file by the build: see `core/bin/build.mjs`. */
export { nameToEmoji } from 'gemoji';
