import type { RawSetting, SettingList, SettingState } from '@mortise/plugin-sdk';

type WrittenSetting = Pick<RawSetting, 'section' | 'key' | 'value'>;
type KnownSetting = Pick<SettingState, 'section' | 'key' | 'defaultText'>;

interface SettingsProposal {
  /** An app.ini with what has a counterpart here; the rest stands in comments. */
  readonly text: string;
  readonly taken: number;
  /** What this site does not know by that name, as `[section] KEY has no counterpart`. */
  readonly unknown: readonly string[];
  /** Of what says where that server has its data, or is a secret of its own. */
  readonly excluded: readonly string[];
}

/** The database and log of this site are its own. */
const ownSections = new Set(['database', 'log']);
const ownKeys = new Set([
  ...['RUN_USER', 'RUN_MODE', 'INSTALL_LOCK', 'SECRET_KEY', 'INTERNAL_TOKEN', 'JWT_SECRET', 'LFS_JWT_SECRET'],
  ...['JWT_SIGNING_PRIVATE_KEY_FILE', 'ROOT', 'CONN_STR', 'PROVIDER_CONFIG'],
]);
const isFolder = (key: string): boolean => /(?:^|_)(?:PATH|DIR|FOLDER)$/.test(key);
const isSecret = (key: string): boolean => /SECRET|TOKEN|PASS|_KEY$/.test(key);

const isOwn = ({ section, key }: WrittenSetting): boolean =>
  ownSections.has(section.split('.')[0] ?? '') || ownKeys.has(baseKey(key)) || isFolder(baseKey(key));

/** `KEY_URI` names the file that holds `KEY`. */
const baseKey = (key: string): string => key.toUpperCase().replace(/_URI$/, '');
const nameOf = ({ section, key }: WrittenSetting): string => (section ? `[${section}] ${key}` : key);
const idOf = (section: string, key: string): string => `${section.toLowerCase()} ${baseKey(key)}`;

function written(value: string): string {
  if (!/^\s|\s$|[;#`"']/.test(value)) return value;
  return value.includes('`') ? `"${value}"` : `\`${value}\``;
}

/** What the settings of another server come to here. Values that need another spelling are read as they are (decision 0039). */
export function proposeSettings(
  given: readonly WrittenSetting[],
  known: readonly KnownSetting[],
  source: string,
  compatible: SettingList['compatible'],
): SettingsProposal {
  const defaults = new Map(known.map(({ section, key, defaultText }) => [idOf(section, key), defaultText]));
  const sections = new Map<string, string[]>();
  const [unknown, excluded]: [string[], string[]] = [[], []];
  let taken = 0;
  for (const setting of given) {
    const { section, key, value } = setting;
    const preset = defaults.get(idOf(section, key));
    const lines = sections.get(section) ?? [];
    sections.set(section, lines);
    if (isOwn(setting)) {
      excluded.push(nameOf(setting));
      lines.push(`; ${key}: stays with that server`);
    } else if (preset === undefined) {
      const meaning = compatible(section, key) ?? 'has no counterpart';
      unknown.push(`${nameOf(setting)} ${meaning}`);
      lines.push(`; ${key}${isSecret(key) ? '' : ` = ${value}`}: ${meaning}`);
    } else if (preset !== value) {
      taken++;
      lines.push(`${key} = ${written(value)}`);
    }
  }
  const blocks = [...sections]
    .filter(([, lines]) => lines.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([section, lines]) => [...(section ? [`[${section}]`] : []), ...lines, ''].join('\n'));
  const head = `; What ${source} comes to here. Copy into app.ini what shall hold, and read config/settings.md.\n`;
  return { text: [head, ...blocks].join('\n'), taken, unknown, excluded };
}
