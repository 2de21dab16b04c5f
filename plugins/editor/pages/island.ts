/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Client: a text area with `data-editor` becomes a code editor that colours by the file's name. The area stays the form's
 * field, so sending works as it does without scripts.
 */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { StreamLanguage, indentUnit, syntaxHighlighting, type StreamParser } from '@codemirror/language';
import { c, cpp, java } from '@codemirror/legacy-modes/mode/clike';
import { css } from '@codemirror/legacy-modes/mode/css';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { go } from '@codemirror/legacy-modes/mode/go';
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript';
import { python } from '@codemirror/legacy-modes/mode/python';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { html } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

// Simple tokenizers: the whole grammars would make this script five times as large.
const languages: readonly (readonly [RegExp, StreamParser<unknown>])[] = [
  [/\.(c|m)?tsx?$/i, typescript],
  [/\.(c|m)?jsx?$/i, javascript],
  [/\.(json|webmanifest)$/i, json],
  [/\.(css|scss|less)$/i, css],
  [/\.(html?|xml|svg|vue|md|markdown)$/i, html],
  [/\.pyi?$/i, python],
  [/\.ya?ml$/i, yaml],
  [/\.(sh|bash|zsh)$/i, shell],
  [/\.go$/i, go],
  [/\.rs$/i, rust],
  [/\.(c|h)$/i, c],
  [/\.(cc|cpp|hpp)$/i, cpp],
  [/\.java$/i, java],
  [/\.toml$/i, toml],
  [/(^|\/)dockerfile$/i, dockerFile],
];

/** The indentation that most indented lines of the text begin with. */
function indentationOf(text: string): string {
  const starts = [...text.slice(0, 50_000).matchAll(/^(\t|  +)\S/gm)].map((found) => found[1]!);
  if (starts.filter((start) => start === '\t').length * 2 > starts.length) return '\t';
  const least = Math.min(...starts.map((start) => start.length));
  return ' '.repeat(Number.isFinite(least) ? Math.min(least, 8) : 2);
}

/** Colours follow the page's theme: its variables reach into the editor's shadow, where the page's style sheet does not. */
const look = EditorView.theme({
  '&': {
    border: '1px solid var(--borderColor-default, var(--color-border-default))',
    borderRadius: '6px',
    marginBottom: '8px',
    color: 'var(--fgColor-default, var(--color-fg-default))',
    backgroundColor: 'var(--bgColor-default, var(--color-canvas-default))',
  },
  '.cm-scroller': {
    minHeight: '24em',
    maxHeight: '75vh',
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    fontSize: '13px',
    lineHeight: '1.5',
  },
  '.cm-gutters': {
    borderColor: 'var(--borderColor-default, var(--color-border-default))',
    color: 'var(--fgColor-muted, var(--color-fg-muted))',
    backgroundColor: 'var(--bgColor-muted, var(--color-canvas-subtle))',
  },
  '.cm-cursor': { borderLeftColor: 'var(--fgColor-default, var(--color-fg-default))' },
  '&.cm-focused': { outline: '2px solid var(--color-accent-emphasis, #0969da)', outlineOffset: '-1px' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--color-accent-muted, #54aeff66) !important',
  },
  '.tok-keyword, .tok-operator': { color: 'var(--color-prettylights-syntax-keyword)' },
  '.tok-string, .tok-string2': { color: 'var(--color-prettylights-syntax-string)' },
  '.tok-comment, .tok-meta': { color: 'var(--color-prettylights-syntax-comment)' },
  '.tok-number, .tok-bool, .tok-atom, .tok-propertyName': { color: 'var(--color-prettylights-syntax-constant)' },
  '.tok-typeName, .tok-className, .tok-link': { color: 'var(--color-prettylights-syntax-entity)' },
});

for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-editor]')) {
  const name = area.dataset.editor ?? '';
  const language = languages.find(([pattern]) => pattern.test(name))?.[1];
  // In a shadow the editor's styles are adopted sheets, which the content security policy of pages allows.
  const frame = document.createElement('div');
  area.before(frame);
  const root = frame.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        highlightSpecialChars(),
        history(),
        drawSelection(),
        lineNumbers(),
        look,
        syntaxHighlighting(classHighlighter),
        indentUnit.of(indentationOf(area.value)),
        // Escape, then Tab leaves the editor, as its documentation advises for keyboards.
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': area.dataset.editorLabel ?? '', tabindex: '0' }),
        ...(language ? [StreamLanguage.define(language)] : []),
      ],
    }),
  });
  area.hidden = true;
  area.form?.addEventListener('submit', () => {
    area.value = view.state.doc.toString();
  });
}
