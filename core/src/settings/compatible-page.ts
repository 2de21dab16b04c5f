import { compatibleSettings, type CompatibleSetting, type Counterpart } from './counterparts.js';

const kinds: Readonly<Record<Counterpart['kind'], string>> = {
  same: 'same',
  otherName: 'other name',
  otherMeaning: 'other meaning',
  notNeeded: 'not needed',
  notYet: 'not yet',
};

const cell = (text: string): string => text.replaceAll('|', '\\|');
/** Names of settings as code; anything else as the words it is. */
const named = (text: string): string => cell(text).replaceAll(/\[[\w.-]+\] [A-Z_]+/g, (name) => `\`${name}\``);

function row({ key, counterpart }: CompatibleSetting): string {
  const more =
    counterpart.kind === 'otherName'
      ? `: ${named(counterpart.name)}`
      : counterpart.kind === 'otherMeaning'
        ? `: ${named(counterpart.meaning)}`
        : counterpart.kind === 'notNeeded'
          ? `: ${named(counterpart.reason)}`
          : '';
  return `| \`${key}\` | ${kinds[counterpart.kind]}${more} |`;
}

/** `config/compatible-settings.md`: every setting of the compatible service, and what it is here. */
export function compatiblePage(): string {
  const all = compatibleSettings();
  const count = (kind: Counterpart['kind']): number =>
    all.filter(({ counterpart }) => counterpart.kind === kind).length;
  const lines = [
    '# Settings of Gitea',
    '',
    'Written by `mortise settings reference`. `mortise config check app.ini` says the same for a settings file, and which of its',
    'values are read as others. What each setting does is in [settings.md](settings.md).',
    '',
    '| here | settings |',
    '|---|---|',
    `| same | ${count('same')} |`,
    `| other name | ${count('otherName')} |`,
    `| other meaning | ${count('otherMeaning')} |`,
    `| not needed | ${count('notNeeded')} |`,
    `| not yet | ${count('notYet')} |`,
    '',
  ];
  let section: string | undefined;
  for (const one of all) {
    if (one.section !== section) {
      if (section !== undefined) lines.push('');
      section = one.section;
      lines.push(`## ${section ? `[${section}]` : 'Above the first section'}`, '', '| key | here |', '|---|---|');
    }
    lines.push(row(one));
  }
  return `${lines.join('\n')}\n`;
}
