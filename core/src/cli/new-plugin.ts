import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BadRequest } from '@mortise/plugin-sdk';
import { authMethodFiles } from './templates/auth-method.js';
import { commonFiles, type Skeleton } from './templates/common.js';
import { packageFormatFiles } from './templates/package-format.js';
import { plainPluginFiles } from './templates/plugin.js';
import { webhookKindFiles } from './templates/webhook-kind.js';

export const kinds = ['package-format', 'webhook-kind', 'auth-method', 'plugin'] as const;
export type Kind = (typeof kinds)[number];
export const isKind = (text: string): text is Kind => (kinds as readonly string[]).includes(text);

const families: Record<Kind, string> = {
  'package-format': 'package-',
  'webhook-kind': 'webhook-',
  'auth-method': 'auth-',
  plugin: '',
};
const builders: Record<Kind, (skeleton: Skeleton) => Record<string, string>> = {
  'package-format': packageFormatFiles,
  'webhook-kind': webhookKindFiles,
  'auth-method': authMethodFiles,
  plugin: plainPluginFiles,
};

/** Writes a skeleton into a new or empty folder; gives what it wrote. */
export function writeSkeleton(
  kind: Kind,
  name: string,
  dir?: string,
): { folder: string; files: string[]; plugin: string } {
  const bare = name.replace(/^mortise-plugin-/, '').replace(new RegExp(`^${families[kind]}`), '');
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(bare)) {
    throw BadRequest(`"${name}" is not a valid plugin name. Use lowercase letters, digits and single dashes.`);
  }
  const plugin = families[kind] + bare;
  const folder = resolve(dir ?? `mortise-plugin-${plugin}`);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw BadRequest(`${folder} already exists and is not empty.`);
  const skeleton: Skeleton = {
    kind,
    key: bare,
    plugin,
    className: bare.replace(/(^|-)([a-z0-9])/g, (_, _dash, letter: string) => letter.toUpperCase()),
    isInWorkspace: existsSync(join(folder, '../../tsconfig.base.json')),
  };
  const files = { ...commonFiles(skeleton), ...builders[kind](skeleton) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, files: Object.keys(files).sort(), plugin };
}
