// The plugins of this workspace: folder and plugin have the same name.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../plugins/', import.meta.url));

export const pluginNames = () => readdirSync(folder);
