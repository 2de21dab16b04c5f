/** One value as it was written, and where, for messages. */
export interface RawSetting {
  readonly section: string;
  readonly key: string;
  readonly value: string;
  /** `app.ini:12`, or the name of the environment variable. */
  readonly from: string;
}

/**
 * Reads an INI file as Gitea writes it: `;` and `#` begin comments (within a line after a space), values may stand in
 * backticks or quotes, and sections may have dots. A library would nest the dots and cut `a#b` short.
 */
export function parseIni(text: string, file: string): { values: RawSetting[]; problems: string[] } {
  const values: RawSetting[] = [];
  const problems: string[] = [];
  let section = '';
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((full, index) => {
      const line = full.trim();
      const from = `${file}:${index + 1}`;
      if (line === '' || line.startsWith(';') || line.startsWith('#')) return;
      const heading = /^\[([^\]]*)\]\s*([;#].*)?$/.exec(line);
      if (heading) {
        section = normalizeSection(heading[1]!.trim());
        return;
      }
      const equals = line.indexOf('=');
      if (equals < 1) {
        problems.push(`${from}: "${line.slice(0, 60)}" is neither a [section] nor KEY = value`);
        return;
      }
      values.push({ section, key: line.slice(0, equals).trim(), value: unquote(line.slice(equals + 1).trim()), from });
    });
  return { values, problems };
}

function unquote(text: string): string {
  const quote = text[0];
  if (quote === '`' || quote === '"' || quote === "'") {
    const end = text.indexOf(quote, 1);
    if (end > 0 && /^\s*([;#].*)?$/.test(text.slice(end + 1))) return text.slice(1, end);
  }
  return text.replace(/\s+[;#].*$/, '').replace(/^[;#].*$/, '');
}

/** Section names have no case; `DEFAULT` is what stands above the first section. */
export function normalizeSection(section: string): string {
  return section.toUpperCase() === 'DEFAULT' ? '' : section.toLowerCase();
}
