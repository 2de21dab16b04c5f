import { createRequire } from 'node:module';
import type { HLJSApi } from 'highlight.js';
import type * as HtmlParser from 'htmlparser2';
import type * as Asciidoctor from '@asciidoctor/core';
import type katex from 'katex';
import type MarkdownItClass from 'markdown-it';
import type * as Re2 from 're2js';
import type sanitize from 'sanitize-html';
import type * as Yaml from 'yaml';
import { Emoji, namesOf, type EmojiNames } from './emoji.js';
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

let emojiNames: EmojiNames = new Map();
/** Its table is an ES module, which a thread cannot require: {@link loadFor} has imported it where a text may need it. */
export const emoji = new Emoji(() => emojiNames);

/** What the task needs. */
export async function loadFor(task: Task): Promise<void> {
  const text = task.kind === 'render' ? task.text : '';
  // the text may have code in it
  if (task.kind === 'warm' || task.kind === 'highlight' || /```|~~~/.test(text)) highlighter();
  if (task.kind !== 'highlight') for (const load of [markdownParser, footnotes, sanitizer, htmlParser]) load();
  if (task.kind === 'render' && ('module' in task.format || mayNameEmoji(text))) emojiNames = await loadEmojiNames();
}

/** Colons may be entities of HTML too. */
const mayNameEmoji = (text: string) => /:[a-z0-9_+-]|&(?:#|colon;)/.test(text);

let loadingEmoji: Promise<EmojiNames> | undefined;
const loadEmojiNames = () => (loadingEmoji ??= import('gemoji').then(namesOf));
