const replacement = '***';

/** Hides secrets in lines of a log. */
export class Masks {
  #values: string[] = [];

  /** Each line of the value is hidden by itself too: logs are made of lines. Blank values hide nothing. */
  add(value: string): void {
    const lines = value.split(/\r?\n/).map((line) => line.trim());
    const all = [value, ...lines, ...encodings(value)].filter(
      (one) => one.trim() !== '' && (one === value || one.length > 3),
    );
    for (const one of all) if (!this.#values.includes(one) && this.#values.length < 10_000) this.#values.push(one);
    // Longer ones first: one may be the beginning of another.
    this.#values.sort((a, b) => b.length - a.length);
  }

  hide(line: string): string {
    let result = line;
    for (const value of this.#values) if (result.includes(value)) result = result.replaceAll(value, replacement);
    return result;
  }

  /** Characters of the longest value: what a cut line must be longer than its bound. */
  get longest(): number {
    return this.#values[0]?.length ?? 0;
  }
}

/** As tools write a secret in headers and addresses. */
function encodings(value: string): string[] {
  if (value.length < 8) return [];
  const base64 = Buffer.from(value).toString('base64');
  return [base64, base64.replace(/=+$/, ''), encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
}
