import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.state': 'Den Zustand hier ablegen:',
  'install.module': 'Das Modul verwenden:',
  'install.provider': 'Den Provider verwenden:',
  'about.state': 'Ein Zustand. Er kann Geheimnisse enthalten: Lesen kann ihn nur, wer zum Eigentümer gehört.',
  'about.lineage': 'Abstammung: {lineage}',
  'about.platforms': 'Plattformen: {platforms}',
};
