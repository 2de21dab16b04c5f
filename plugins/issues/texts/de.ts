import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'error.archived': 'Dieses Repository ist archiviert und schreibgeschützt.',
  'error.color': 'Die Farbe muss aus sechs Hexadezimalziffern bestehen, zum Beispiel #0a7bcd.',
  'error.editedMeanwhile': 'Der Text wurde inzwischen geändert. Vor dem Bearbeiten bitte neu laden.',
  'error.labelList': 'Labels müssen entweder mit Nummern oder mit Namen angegeben werden.',
  'error.labelName': 'Einen Namen eingeben.',
  'error.needs': 'Dafür ist die Berechtigung „{mode}“ nötig.',
  'error.noOwner': '{name} existiert nicht.',
  'error.notAssignable': '{name} kann in diesem Repository nicht zugewiesen werden.',
  'error.notUser': '{name} ist kein Benutzer.',
  'error.noTeam': 'Es gibt kein Team {name}.',
  'error.noUser': 'Es gibt keinen Benutzer {name}.',
  'error.state': 'Der Status muss open oder closed sein.',
  'error.teamOwner': 'Die Organisation des Teams angeben.',
  'error.time': '{field} muss ein Zeitpunkt nach RFC 3339 sein, zum Beispiel 2030-01-31T12:00:00Z.',
  'error.title': 'Einen Titel eingeben.',
  'error.titleLong': 'Der Titel darf höchstens {limit, number} Zeichen lang sein.',
  'error.unitOff': 'Dieser Teil des Repositorys ist ausgeschaltet.',
};
