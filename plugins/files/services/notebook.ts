import type { RenderTools } from '@mortise/markup/api';

const maxCells = 1000;
const maxOutput = 100_000;
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

/** Jupyter notebooks; runs in a thread of `markup`, which cleans what comes out. */
export default function renderNotebook(text: string, tools: RenderTools): string {
  return new Notebook(tools).render(text);
}

class Notebook {
  constructor(private readonly tools: RenderTools) {}

  render(text: string): string {
    let book: unknown;
    try {
      book = JSON.parse(text);
    } catch {
      return `<p><em>This is no readable notebook.</em></p>${this.#pre(text)}`;
    }
    if (!isRecord(book)) return this.#pre(text);
    const cells = Array.isArray(book.cells) ? listOf(book.cells) : listOf(listOf(book.worksheets)[0]?.cells);
    const language = languageOf(book);
    const shown = cells.slice(0, maxCells).map((cell) => this.#cell(cell, language));
    const rest = cells.length > maxCells ? `<p><em>${cells.length - maxCells} more cells</em></p>` : '';
    return shown.join('\n') + rest;
  }

  #pre(text: string): string {
    return `<pre><code>${this.tools.escape(text.slice(0, maxOutput))}</code></pre>`;
  }

  #cell(cell: Record<string, unknown>, language: string): string {
    const source = textOf(cell.source ?? cell.input);
    if (cell.cell_type === 'markdown') return this.tools.markdown(source);
    if (cell.cell_type !== 'code') return this.#pre(source);
    const count = typeof cell.execution_count === 'number' ? cell.execution_count : ' ';
    const code = this.tools.code(source.slice(0, maxOutput), language);
    const outputs = listOf(cell.outputs).slice(0, 50);
    return [
      `<p><strong>In [${count}]:</strong></p><pre><code>${code}</code></pre>`,
      ...outputs.map((output) => this.#output(output)),
    ].join('');
  }

  #output(output: Record<string, unknown>): string {
    if (output.output_type === 'stream') return this.#pre(textOf(output.text));
    if (output.output_type === 'error') return this.#pre(`${textOf(output.ename)}: ${textOf(output.evalue)}`);
    const data = isRecord(output.data) ? output.data : output;
    for (const type of ['image/png', 'image/jpeg', 'image/gif']) {
      const image = textOf(data[type]).replace(/\s/g, '');
      if (image && /^[A-Za-z0-9+/]+=*$/.test(image))
        return `<p><img src="data:${type};base64,${image}" alt="Output"></p>`;
    }
    const html = textOf(data['text/html']);
    if (html) return html.slice(0, maxOutput * 5);
    return this.#pre(textOf(data['text/plain'] ?? data.text));
  }
}

function languageOf(book: Record<string, unknown>): string {
  const metadata = isRecord(book.metadata) ? book.metadata : {};
  const language = isRecord(metadata.language_info) ? metadata.language_info : {};
  return typeof language.file_extension === 'string' && /^\.\w+$/.test(language.file_extension)
    ? language.file_extension.slice(1)
    : 'py';
}
