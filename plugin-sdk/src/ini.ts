import { Invalid } from './errors.js';

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

/** Longest value that references may come to: a chain of them can double at each step. */
const maxExpanded = 65_536;

/**
 * The value with each `%(KEY)s` replaced by the setting of that name in its own section, in those above (`a` for `a.b`),
 * or above the first one, as Gitea reads them. References within what is put in are read from the same section.
 * @param valueOf The text of a setting as it was written, or its default; undefined: there is none.
 * @throws a Problem (`invalid`) whose message begins with a verb: "refers to %(KEY)s, which is not set".
 */
export function expandReferences(
  { section, key, value }: Pick<RawSetting, 'section' | 'key' | 'value'>,
  valueOf: (section: string, key: string) => string | undefined,
): string {
  const sections = [...ancestors(section), ''];
  const expand = (text: string, within: readonly string[]): string => {
    const expanded = text.replace(/%\(([^)]+)\)s/g, (reference, name: string) => {
      const places = sections.map((one) => ({ section: one, id: `${one}\0${name.toUpperCase()}` }));
      for (const place of places) {
        const found = within.includes(place.id) ? undefined : valueOf(place.section, name);
        if (found !== undefined) return expand(found, [...within, place.id]);
      }
      const isCircle = places.some((place) => within.includes(place.id));
      throw Invalid(`refers to ${reference}, which ${isCircle ? 'refers back to it' : 'is not set'}`);
    });
    if (expanded.length > maxExpanded) throw Invalid(`is longer than ${maxExpanded} characters with its references`);
    return expanded;
  };
  return expand(value, [`${section}\0${key.toUpperCase()}`]);
}

/** `a.b.c`, `a.b`, `a`. */
const ancestors = (section: string): string[] =>
  section.split('.').map((_, index, parts) => parts.slice(0, parts.length - index).join('.'));
