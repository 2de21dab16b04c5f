import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'hooks.title': 'Git-Hooks',
  'hooks.about':
    'Skripte, die auf dem Server laufen, wenn sich Branches oder Tags ändern. Ein Skript, das mit <code>#!</code> beginnt, läuft mit diesem Interpreter, jedes andere in der Shell.',
  'hooks.note.pre-receive':
    'Läuft einmal, bevor eine Referenz aktualisiert wird. Die Standardeingabe enthält je Referenz eine Zeile mit altem Commit, neuem Commit und Name. Ein Exit-Code ungleich 0 lehnt den Push ab.',
  'hooks.note.update':
    'Läuft vor jeder Aktualisierung einer Referenz, mit Name, altem und neuem Commit als Argumenten. Ein Exit-Code ungleich 0 lehnt den Push ab.',
  'hooks.note.post-receive':
    'Läuft, nachdem alle Referenzen aktualisiert wurden. Der Push kann nicht mehr abgelehnt werden.',
  'hooks.save': '{name} speichern',

  'error.disabled': 'Git-Hooks sind auf dieser Website deaktiviert ([security] DISABLE_GIT_HOOKS).',
  'error.edit': 'Für das Bearbeiten von Git-Hooks fehlt die Berechtigung.',
  'error.read': 'Für das Anzeigen von Git-Hooks fehlt die Berechtigung.',
  'error.missing': 'Dieser Git-Hook existiert nicht.',
  'error.refused': 'Ein Git-Hook dieses Repositorys hat die Änderung abgelehnt.',
};
