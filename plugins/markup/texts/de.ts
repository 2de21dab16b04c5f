import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  completedTask: 'Erledigte Aufgabe',
  incompleteTask: 'Offene Aufgabe',
  linkToSection: 'Link zu diesem Abschnitt',
  note: 'Hinweis',
  tip: 'Tipp',
  important: 'Wichtig',
  warning: 'Warnung',
  caution: 'Vorsicht',
  code: 'Code',
  table: 'Tabelle',
  copy: 'Kopieren',
  copied: 'Kopiert',
  diagram: 'Diagramm',
  showSource: 'Quelltext anzeigen',
  showDiagram: 'Diagramm anzeigen',
  diagramFailed: 'Das Diagramm kann nicht angezeigt werden: {reason}',
};
