import type { MarkupContext, MarkupRenderer } from '@mortise/markup/api';

const mostCells = 1000;
const mostOutput = 100_000;
const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Texts are stored whole or as a list of lines (nbformat 4). */
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.filter((one) => typeof one === 'string').join('')
      : '';
const listOf = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const pre = (text: string) => `<pre><code>${escape(text.slice(0, mostOutput))}</code></pre>`;

/** Jupyter notebooks as a page; `markup` cleans what comes out. */
export class NotebookRenderer implements MarkupRenderer {
  readonly key = 'jupyter';
  readonly endings = ['.ipynb'];

  constructor(
    private readonly parts: {
      markdown(text: string, context: MarkupContext): string;
      code(fileName: string, text: string): readonly string[];
    },
  ) {}

  render(text: string, context: MarkupContext): string {
    let book: unknown;
    try {
      book = JSON.parse(text);
    } catch {
      return `<p><em>This is no readable notebook.</em></p>${pre(text)}`;
    }
    if (!isRecord(book)) return pre(text);
    const cells = Array.isArray(book.cells) ? listOf(book.cells) : listOf(listOf(book.worksheets)[0]?.cells);
    const ending = this.#ending(book);
    const shown = cells.slice(0, mostCells).map((cell) => this.#cell(cell, ending, context));
    const rest = cells.length > mostCells ? `<p><em>${cells.length - mostCells} more cells</em></p>` : '';
    return shown.join('\n') + rest;
  }

  #ending(book: Record<string, unknown>): string {
    const metadata = isRecord(book.metadata) ? book.metadata : {};
    const language = isRecord(metadata.language_info) ? metadata.language_info : {};
    return typeof language.file_extension === 'string' && /^\.\w+$/.test(language.file_extension)
      ? language.file_extension
      : '.py';
  }

  #cell(cell: Record<string, unknown>, ending: string, context: MarkupContext): string {
    const source = textOf(cell.source ?? cell.input);
    if (cell.cell_type === 'markdown') return this.parts.markdown(source, context);
    if (cell.cell_type !== 'code') return pre(source);
    const count = typeof cell.execution_count === 'number' ? cell.execution_count : ' ';
    const code = `<p><strong>In [${count}]:</strong></p><pre><code>${this.parts.code(`cell${ending}`, source.slice(0, mostOutput)).join('\n')}</code></pre>`;
    return (
      code +
      listOf(cell.outputs)
        .slice(0, 50)
        .map((output) => this.#output(output))
        .join('')
    );
  }

  #output(output: Record<string, unknown>): string {
    if (output.output_type === 'stream') return pre(textOf(output.text));
    if (output.output_type === 'error') return pre(`${textOf(output.ename)}: ${textOf(output.evalue)}`);
    const data = isRecord(output.data) ? output.data : output;
    for (const type of ['image/png', 'image/jpeg', 'image/gif']) {
      const image = textOf(data[type]).replace(/\s/g, '');
      if (image && /^[A-Za-z0-9+/]+=*$/.test(image))
        return `<p><img src="data:${type};base64,${image}" alt="Output"></p>`;
    }
    const html = textOf(data['text/html']);
    if (html) return html.slice(0, mostOutput * 5);
    return pre(textOf(data['text/plain'] ?? data.text));
  }
}
