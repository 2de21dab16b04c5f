import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'error.searchBusy': 'Es laufen zu viele Suchen. Bitte gleich noch einmal versuchen.',
  'error.searchLong': 'Der Suchbegriff ist zu lang.',
  'error.searchSlow': 'Die Suche dauert in diesem Repository zu lange.',
  'error.searchBackReference': 'Reguläre Ausdrücke können hier keine Rückverweise enthalten.',
  'error.searchLarge': 'Der reguläre Ausdruck ist zu groß.',
  'error.searchCost': 'Der reguläre Ausdruck braucht zu viel Zeit oder Speicher.',
  'error.searchInvalid': 'Der reguläre Ausdruck ist ungültig.',
  'error.slow': 'Git hat zu lange gebraucht.',
  'error.outputLarge': 'Die Ausgabe von Git ist zu groß.',
  'error.filesDiffer': 'Es unterscheiden sich zu viele Dateien.',
  'error.treeLarge': 'Der Verzeichnisbaum hat zu viele Einträge.',
  'error.fileLarge': 'Die Datei ist zu groß.',
  'error.hooks': 'Pushes können derzeit nicht geprüft werden, weil die Hooks des Servers nicht laufen.',
  'error.refName': '„{ref}“ ist kein gültiger Name einer Referenz.',
  'error.refLocked': 'Die Referenz wird gerade geändert. Bitte noch einmal versuchen.',
  'error.refChanged':
    'Die Referenz wurde inzwischen geändert, oder ihr Name steht im Konflikt mit einem anderen: {reason}',
  'error.refForReview': '{ref} kann nicht gepusht werden: Dieser Server nimmt keine Pull-Requests per Push an.',
  'error.refReserved':
    '{prefix} ist reserviert. Bitte nach refs/heads, refs/tags oder unter einem anderen Namen pushen.',
  'error.heads.head': 'Ein Branch kann nicht {name} heißen: Der Name steht für den aktuellen Commit.',
  'error.heads.dash': 'Der Name eines Branches kann nicht mit einem Bindestrich beginnen.',
  'error.heads.refs': 'Der Name eines Branches kann nicht mit refs/ beginnen.',
  'error.heads.id': 'Der Name eines Branches kann nicht wie eine Commit-ID aussehen.',
  'error.tags.head': 'Ein Tag kann nicht {name} heißen: Der Name steht für den aktuellen Commit.',
  'error.tags.dash': 'Der Name eines Tags kann nicht mit einem Bindestrich beginnen.',
  'error.tags.refs': 'Der Name eines Tags kann nicht mit refs/ beginnen.',
  'error.tags.id': 'Der Name eines Tags kann nicht wie eine Commit-ID aussehen.',
  'error.cloneScheme': 'Nur http-, https- und git-URLs können geklont werden.',
  'error.clone': 'Das Repository konnte nicht geklont werden: {reason}',
  'error.fileInPath': '{path}: Wo ein Ordner benötigt wird, liegt eine Datei.',
  'error.isFolder': '{path} ist ein Ordner.',
  'error.path': '„{path}“ ist kein gültiger Pfad.',
  'error.unsafeObject':
    'Die Änderung wurde abgelehnt, weil sie etwas enthält, was kein Push enthalten darf: {reason}',
  'fault.hasDotgit': 'eine Datei oder ein Ordner mit einem Namen, den manche Systeme für .git halten',
  'error.patch': 'Der Patch lässt sich nicht anwenden: {reason}',
  'error.merge': 'Die Branches können nicht zusammengeführt werden: {reason}',
};
