import { createRequire } from 'node:module';
import type { HLJSApi } from 'highlight.js';
import type MarkdownItClass from 'markdown-it';
import type sanitize from 'sanitize-html';

const require = createRequire(import.meta.url);
// The three cost 180 ms together, so the start does not wait for them; `require` keeps each after its first use.
export const highlighter = (): HLJSApi => require('highlight.js') as HLJSApi;
export const markdownParser = (): typeof MarkdownItClass => require('markdown-it') as typeof MarkdownItClass;
export const footnotes = () => require('markdown-it-footnote') as (parser: MarkdownItClass) => void;
export const sanitizer = (): typeof sanitize => require('sanitize-html') as typeof sanitize;
