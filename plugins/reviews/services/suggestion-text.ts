/** A text around its first block called `suggestion`. */
interface SuggestingText {
  readonly before: string;
  /** What it suggests, each line with its line feed. */
  readonly suggestion: string;
  readonly after: string;
}

/** Undefined: it suggests nothing. */
export function suggestingText(body: string): SuggestingText | undefined {
  const lines = body.split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    const [, fence = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*suggestion[ \t]*$/.exec(line) ?? [];
    if (!fence) continue;
    const isEnd = (text: string) => {
      const mark = text.trim();
      return mark.length >= fence.length && [...mark].every((char) => char === fence[0]);
    };
    const end = lines.findIndex((text, index) => index > at && isEnd(text));
    const inside = lines.slice(at + 1, end < 0 ? undefined : end);
    return {
      before: lines.slice(0, at).join('\n'),
      suggestion: inside.map((text) => `${text}\n`).join(''),
      after: end < 0 ? '' : lines.slice(end + 1).join('\n'),
    };
  }
  return undefined;
}

/** The text of the first block called `suggestion`; undefined: there is none. Each line with its line feed. */
export const suggestionIn = (body: string): string | undefined => suggestingText(body)?.suggestion;
