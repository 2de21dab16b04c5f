import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.configure': 'Die Registry in <code>.cargo/config.toml</code> eintragen:',
  'install.command': 'Das Crate zu einem Projekt hinzufügen:',
  'about.yanked': 'Diese Version wurde zurückgezogen: neue Projekte wählen sie nicht mehr.',
  'about.license': 'Lizenz: {license}',
  'about.dependencies': 'Abhängigkeiten',
};
