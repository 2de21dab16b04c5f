import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'feature.text': 'Bei jedem Push bauen, testen und ausliefern.',
  'error.approver': 'Wer den Pull Request geöffnet oder seither Commits dazu gepusht hat, kann ihn nicht freigeben.',
  unit: 'Actions',
  'error.actionName':
    '{name} ist kein Name für ein Geheimnis oder eine Variable: Buchstaben, Ziffern und _, nicht mit einer Ziffer, CI, GITEA_, GITHUB_ oder MORTISE_ am Anfang.',
  'error.actionValue': 'Der Wert ist länger als {max, number} Bytes.',
  'error.variableTaken': 'Es gibt schon eine Variable {name}.',
  'obstacle.scoped': 'Verlangte Workflows sind nicht bestanden: {checks}',
  'event.group': 'Ereignisse von Workflows',
  'event.run': 'Workflow-Lauf',
  'event.runNote': 'Ein Workflow-Lauf wird eingereiht, beginnt oder endet.',
  'event.job': 'Workflow-Job',
  'event.jobNote': 'Ein Workflow-Job wird eingereiht, beginnt oder endet.',
  'event.runLine':
    'Lauf „{title}“ von {repository} {result, select, success {war erfolgreich} failure {ist fehlgeschlagen} cancelled {wurde abgebrochen} other {wurde übersprungen}}',
  'event.jobLine':
    'Job „{title}“ von {repository} {result, select, success {war erfolgreich} failure {ist fehlgeschlagen} cancelled {wurde abgebrochen} other {wurde übersprungen}}',
};
