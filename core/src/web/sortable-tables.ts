/**
 * Client: tables with `data-sortable` are sorted by the column whose title is pressed, and the other way round when it
 * is pressed again. A cell is compared by its `data-value`, or else by its text. Columns with `data-unsorted` are not.
 */
interface Cell {
  readonly dataset: Readonly<Record<string, string | undefined>>;
  readonly textContent: string | null;
  readonly childNodes: Iterable<unknown>;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  getAttribute(name: string): string | null;
  replaceChildren(...nodes: unknown[]): void;
}
interface Row {
  readonly cells: ArrayLike<Cell>;
}
interface Body {
  readonly rows: Iterable<Row>;
  append(...rows: Row[]): void;
}
interface Table {
  readonly tHead: { readonly rows: ArrayLike<Row> } | null;
  readonly tBodies: ArrayLike<Body>;
}
interface Button extends Cell {
  className: string;
  type: string;
  addEventListener(type: 'click', listener: () => void): void;
}
interface Page {
  document: { querySelectorAll(selector: string): Iterable<Table>; createElement(name: 'button'): Button };
}
const page = globalThis as unknown as Page;
const order = new Intl.Collator(undefined, { numeric: true });
const valueOf = (row: Row, column: number): string => {
  const cell = row.cells[column];
  return cell?.dataset.value ?? cell?.textContent?.trim() ?? '';
};

for (const table of page.document.querySelectorAll('table[data-sortable]')) {
  const titles = Array.from(table.tHead?.rows[0]?.cells ?? []);
  const body = table.tBodies[0];
  if (!body) continue;
  titles.forEach((title, column) => {
    if (title.dataset.unsorted !== undefined || !title.textContent?.trim()) return;
    const button = page.document.createElement('button');
    button.type = 'button';
    button.className = 'sort-button';
    button.replaceChildren(...title.childNodes);
    title.replaceChildren(button);
    button.addEventListener('click', () => {
      const down = title.getAttribute('aria-sort') === 'ascending';
      for (const other of titles) other.removeAttribute('aria-sort');
      title.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const rows = [...body.rows].sort((a, b) => order.compare(valueOf(a, column), valueOf(b, column)));
      body.append(...(down ? rows.reverse() : rows));
    });
  });
}
export {};
