import type { DeclaredSetting } from './declared-setting.js';
import type { SettingsRegistry } from './registry.js';

function bySection(settingsRegistry: SettingsRegistry): Map<string, DeclaredSetting[]> {
  const sections = new Map<string, DeclaredSetting[]>();
  for (const setting of settingsRegistry.declared) {
    const list = sections.get(setting.section);
    if (list) list.push(setting);
    else sections.set(setting.section, [setting]);
  }
  return new Map([...sections].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `config/app.example.ini`: every setting of the loaded plugins with its default, commented out. */
export function exampleIni(settingsRegistry: SettingsRegistry): string {
  const lines = [
    '; Every setting with its default. Written by `mortise settings reference`.',
    '; Copy what you change into config/app.ini of the work directory.',
    '',
  ];
  for (const [section, settings] of bySection(settingsRegistry)) {
    if (section) lines.push(`[${section}]`);
    for (const { description, type, key, defaultText } of settings) {
      if (description) lines.push(`; ${description}`);
      if (type.includes('|')) lines.push(`; One of: ${type}`);
      lines.push(`;${key} = ${/^\s|\s$|[;#]/.test(defaultText) ? `\`${defaultText}\`` : defaultText}`.trimEnd());
    }
    lines.push('');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
const code = (text: string) => (text === '' ? '' : `\`${cell(text)}\``);

/** `config/settings.md`: the same as a table per section. */
export function settingsPage(settingsRegistry: SettingsRegistry): string {
  const lines = [
    '# Settings',
    '',
    'Written by `mortise settings reference`. A setting stands in `config/app.ini` of the work directory, or in the',
    'environment as `MORTISE__section__KEY` (`MORTISE__server__HTTP_PORT=3000`; for shells, a dot in the section is `_0X2E_`',
    'and a dash is `_0X2D_`). Any setting can be read from a file: `KEY_URI = file:/run/secrets/name`. The environment wins',
    'over the file. `%(KEY)s` in a value is the setting of that name in the same section, else above the first one.',
    '',
  ];
  for (const [section, settings] of bySection(settingsRegistry)) {
    lines.push(
      `## ${section ? `[${section}]` : 'Above the first section'}`,
      '',
      '| key | default | values | meaning | of |',
      '|---|---|---|---|---|',
    );
    for (const setting of settings) {
      lines.push(
        `| \`${setting.key}\` | ${code(setting.defaultText)} | ${cell(setting.type)} | ${cell(setting.description)} | ${setting.owner} |`,
      );
    }
    lines.push('');
  }
  if (settingsRegistry.deprecated.length) {
    lines.push('## Deprecated', '', '| key | use instead |', '|---|---|');
    for (const { section, key, replacement } of settingsRegistry.deprecated)
      lines.push(`| \`[${section}] ${key}\` | ${cell(replacement)} |`);
    lines.push('');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
