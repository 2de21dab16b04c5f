/** How bytes of files become text; the same everywhere. */
export { decodeText, encodingOf, textTypeOf, type DecodedText, type TextEncoding } from '../services/text-encoding.js';
