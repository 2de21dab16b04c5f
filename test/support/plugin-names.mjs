// The plugins of this workspace by their names, which are those of their packages; folders may be called otherwise.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'plugins');

export const pluginNames = () =>
  readdirSync(folder).map((name) => {
    const manifest = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'));
    return manifest.name.replace('@mortise/', '');
  });
