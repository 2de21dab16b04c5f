import { createRequire } from 'node:module';
import type { HLJSApi } from 'highlight.js';
import type * as HtmlParser from 'htmlparser2';
import type * as Asciidoctor from '@asciidoctor/core';
import type katex from 'katex';
import type MarkdownItClass from 'markdown-it';
import type * as Re2 from 're2js';
import type sanitize from 'sanitize-html';
import type * as Yaml from 'yaml';
import type { Task } from './tasks.js';

const require = createRequire(import.meta.url);
// Loaded at the first use, each once: a thread that only colours code needs one of them.
export const highlighter = (): HLJSApi => require('highlight.js') as HLJSApi;
export const markdownParser = (): typeof MarkdownItClass => require('markdown-it') as typeof MarkdownItClass;
export const footnotes = () => require('markdown-it-footnote') as (parser: MarkdownItClass) => void;
export const sanitizer = (): typeof sanitize => require('sanitize-html') as typeof sanitize;
export const htmlParser = (): typeof HtmlParser => require('htmlparser2') as typeof HtmlParser;

export const mathRenderer = (): typeof katex => require('katex') as typeof katex;
export const yamlParser = (): typeof Yaml => require('yaml') as typeof Yaml;
export const re2 = (): typeof Re2 => require('re2js') as typeof Re2;

/** An ES module, hence a promise. */
export const asciidoctor = (): Promise<typeof Asciidoctor> => import('@asciidoctor/core');

/** What a task of this kind needs; `text`: it may have code in it. */
export function loadFor(kind: Task['kind'], text = ''): void {
  if (kind === 'warm' || kind === 'highlight' || /```|~~~/.test(text)) highlighter();
  if (kind !== 'highlight') for (const load of [markdownParser, footnotes, sanitizer, htmlParser]) load();
}
