import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  unit: 'Actions',
  'error.actionName':
    '{name} ist kein Name für ein Geheimnis oder eine Variable: Buchstaben, Ziffern und _, nicht mit einer Ziffer, CI, GITEA_, GITHUB_ oder MORTISE_ am Anfang.',
  'error.actionValue': 'Der Wert ist länger als {max, number} Bytes.',
  'error.variableTaken': 'Es gibt schon eine Variable {name}.',
  'obstacle.scoped': 'Verlangte Workflows sind nicht bestanden: {checks}',
  'event.group': 'Ereignisse von Workflows',
  'event.run': 'Workflow-Lauf',
  'event.runNote': 'Ein Lauf eines Workflows wurde angefordert, hat begonnen oder ist beendet.',
  'event.job': 'Workflow-Job',
  'event.jobNote': 'Ein Job eines Workflows wartet, hat begonnen oder ist beendet.',
  'event.runLine': 'Lauf „{title}“ von {repository} beendet: {result}',
  'event.jobLine': 'Job „{title}“ von {repository} beendet: {result}',
};
