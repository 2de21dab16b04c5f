import { normalizeSection, type RawSetting } from '@mortise/plugin-sdk';

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
