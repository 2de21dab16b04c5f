/** How files are read, and how their bytes become text; the same everywhere. */
export { followLinks } from '../services/symbolic-links.js';
export { decodeText, encodingOf, textTypeOf } from '../services/text-encoding.js';
