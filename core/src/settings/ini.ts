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

/** The same text without the keys that `takesOut` names, and without sections that hold nothing any more. */
export function withoutKeys(
  text: string,
  takesOut: (section: string, key: string) => boolean,
): { text: string; removed: number } {
  let section = '';
  let removed = 0;
  const blocks: { section: string; lines: string[]; lost: boolean }[] = [{ section, lines: [], lost: false }];
  for (const line of text.split('\n')) {
    const heading = /^\s*\[([^\]]*)\]/.exec(line);
    if (heading) {
      section = normalizeSection(heading[1]!.trim());
      blocks.push({ section, lines: [line], lost: false });
      continue;
    }
    const block = blocks.at(-1)!;
    const key = /^\s*([^;#=\s][^=]*?)\s*=/.exec(line)?.[1];
    if (key !== undefined && takesOut(section, key.toUpperCase())) {
      block.lost = true;
      removed++;
    } else block.lines.push(line);
  }
  const kept = blocks.filter(({ lost, lines }, at) => at === 0 || !lost || lines.slice(1).some((line) => line.trim()));
  return { text: kept.flatMap(({ lines }) => lines).join('\n'), removed };
}

/** The same text with one key set: in its place, else at the end of its section, else below all. */
export function withKey(text: string, section: string, key: string, value: string): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  let current = '';
  let last = -1;
  for (const [at, line] of lines.entries()) {
    const heading = /^\s*\[([^\]]*)\]/.exec(line);
    if (heading) current = normalizeSection(heading[1]!.trim());
    if (current !== section || line.trim() === '') continue;
    last = at;
    if (/^\s*([^;#=\s][^=]*?)\s*=/.exec(line)?.[1]?.toUpperCase() !== key) continue;
    lines[at] = `${key} = ${value}`;
    return `${lines.join('\n')}\n`;
  }
  if (last >= 0) lines.splice(last + 1, 0, `${key} = ${value}`);
  else lines.push(...(lines.length > 0 ? [''] : []), `[${section}]`, `${key} = ${value}`);
  return `${lines.join('\n')}\n`;
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

/**
 * `MORTISE__section__KEY`; characters that a shell forbids in names may be written `_0X2E_` (a dot) or `_0X2D_`
 * (a dash). `MORTISE____KEY` and `MORTISE__DEFAULT__KEY` stand above the first section.
 */
export function parseEnvironment(environment: Readonly<Record<string, string | undefined>>): RawSetting[] {
  const values: RawSetting[] = [];
  for (const [name, value] of Object.entries(environment)) {
    const parts = /^MORTISE__(.*?)__(.+)$/.exec(name);
    if (!parts || value === undefined) continue;
    const decode = (text: string) =>
      text.replace(/_0[xX]([0-9a-fA-F]{2})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    values.push({ section: normalizeSection(decode(parts[1]!)), key: decode(parts[2]!), value, from: name });
  }
  return values;
}
