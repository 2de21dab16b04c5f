type Fields = Readonly<Record<string, unknown>> | undefined;

interface RepeatsOptions {
  /** Of the same line so many are written in a window; the rest is counted. */
  readonly maxLines?: number;
  readonly windowMs?: number;
  readonly summary: (text: string, fields: Fields) => void;
}

interface Seen {
  readonly text: string;
  count: number;
  fields: Fields;
}

const maxKeys = 200;

/**
 * Keeps a fault that shows a hundred times a second (a database that is away) from burying everything else: after a few
 * the same warning is counted, and told once at the end of the window.
 */
export class Repeats {
  readonly #maxLines: number;
  readonly #windowMs: number;
  readonly #summary: RepeatsOptions['summary'];
  readonly #seen = new Map<string, Seen>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ maxLines = 5, windowMs = 10_000, summary }: RepeatsOptions) {
    this.#maxLines = maxLines;
    this.#windowMs = windowMs;
    this.#summary = summary;
  }

  /** Is the line to be written? */
  admit(level: string, text: string, fields: Fields): boolean {
    const key = `${level}\0${text}\0${reasonIn(fields)}`;
    let seen = this.#seen.get(key);
    if (!seen) {
      // so many different lines are no repetition
      if (this.#seen.size >= maxKeys) return true;
      this.#seen.set(key, (seen = { text, count: 0, fields }));
      this.#timer ??= setTimeout(() => this.end(), this.#windowMs).unref();
    }
    seen.count++;
    seen.fields = fields;
    return seen.count <= this.#maxLines;
  }

  /** Ends the window: tells what was left out. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const all = [...this.#seen.values()];
    this.#seen.clear();
    for (const { text, count, fields } of all)
      if (count > this.#maxLines) this.#summary(`${text} (${count - this.#maxLines} more times)`, fields);
  }
}

/** The same words for another reason are another line. */
function reasonIn(fields: Fields): string {
  const error = fields?.error ?? fields?.err;
  if (error instanceof Error) return String((error as NodeJS.ErrnoException).code ?? error.message);
  return typeof error === 'string' ? error : '';
}
