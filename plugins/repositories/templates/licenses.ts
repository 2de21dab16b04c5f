import { createRequire } from 'node:module';

interface LicenseTemplate {
  readonly key: string;
  readonly name: string;
  readonly text: string;
}

/** SPDX identifiers that are offered; their texts come with the package `spdx-license-list`. */
const offered = [
  '0BSD',
  'AFL-3.0',
  'AGPL-3.0-only',
  'AGPL-3.0-or-later',
  'Apache-2.0',
  'Artistic-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0',
  'CC-BY-4.0',
  'CC-BY-SA-4.0',
  'CC0-1.0',
  'EPL-2.0',
  'EUPL-1.2',
  'GPL-2.0-only',
  'GPL-2.0-or-later',
  'GPL-3.0-only',
  'GPL-3.0-or-later',
  'ISC',
  'LGPL-2.1-only',
  'LGPL-3.0-only',
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense',
  'WTFPL',
  'Zlib',
];

let loaded: ReadonlyMap<string, LicenseTemplate> | undefined;

/** Read on first use: immutable data of a package, not state. */
export function licenseTemplates(): ReadonlyMap<string, LicenseTemplate> {
  if (loaded) return loaded;
  const require = createRequire(import.meta.url);
  const templates = offered.flatMap((key): [string, LicenseTemplate][] => {
    try {
      const { licenseText } = require(`spdx-license-list/licenses/${key}.json`) as { licenseText: string };
      return [[key, { key, name: key, text: `${licenseText.trimEnd()}\n` }]];
    } catch {
      return []; // a later list may have dropped an identifier
    }
  });
  loaded = new Map(templates);
  return loaded;
}
