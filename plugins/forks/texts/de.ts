import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'button.fork': 'Forken',
  'button.forks': 'Forks',
  'button.count': '{count, plural, one {# Fork} other {# Forks}}',
  'button.template': 'Diese Vorlage verwenden',
  'counter.forks': 'Forks',

  'list.title': 'Forks',
  'list.new': 'Neuer Fork',

  'fork.title': 'Neuer Fork',
  'fork.about':
    'Ein Fork ist eine eigene Kopie von {name}. Änderungen daran wirken sich nicht auf das Original aus. Er hat dieselbe Sichtbarkeit wie das Original.',
  'fork.exists': 'Es gibt bereits einen eigenen Fork dieses Repositorys: {fork}',
  'fork.own':
    'Dieses Repository gehört zum eigenen Konto. Repositories können nicht in das Konto geforkt werden, dem sie gehören.',
  'fork.description': 'Beschreibung',
  'fork.onlyBranch': 'Nur den Branch {branch} kopieren',
  'fork.onlyBranchNote': 'Andere Branches und Tags können später abgerufen werden.',
  'fork.submit': 'Fork erstellen',

  'templates.title': 'Mit {count, plural, one {einer Vorlage} other {einer von # Vorlagen}} beginnen',
  'templates.more': 'Weitere Vorlagen stehen unter Erkunden; jede hat die Schaltfläche „Diese Vorlage verwenden“.',

  'template.title': 'Diese Vorlage verwenden',
  'template.heading': 'Neues Repository aus einer Vorlage',
  'template.about': 'Das neue Repository beginnt mit den ausgewählten Inhalten von {name}.',
  'template.private': 'Privat',
  'template.privateNote': 'Nur eingeladene Personen und das eigene Konto können es sehen.',
  'template.items': 'Zu kopierende Inhalte',
  'template.files': 'Dateien',
  'template.filesNote':
    'Die des Standard-Branches, als ein einziger neuer Commit. In den Dateien, die die Vorlage aufführt, werden Variablen ersetzt.',
  'template.topics': 'Themen',
  'template.avatar': 'Avatar',
  'template.submit': 'Repository erstellen',

  'upstream.title': 'Upstream',
  'upstream.even': '{branch} ist auf dem Stand von {upstream}.',
  'upstream.behindSome': '{branch} liegt hinter {upstream}.',
  'upstream.behind': '{branch} liegt {behind, plural, one {# Commit} other {# Commits}} hinter {upstream}.',
  'upstream.ahead': '{branch} ist {upstream} um {ahead, plural, one {# Commit} other {# Commits}} voraus.',
  'upstream.both':
    '{branch} ist {upstream} um {ahead, plural, one {# Commit} other {# Commits}} voraus und liegt {behind, plural, one {# Commit} other {# Commits}} dahinter.',
  'upstream.sync': 'Fork synchronisieren',
  'upstream.merge': 'Upstream zusammenführen',

  'error.forkExists': 'In diesem Konto gibt es bereits einen Fork dieses Repositorys.',
  'error.noTemplate': 'Dieses Repository ist keine Vorlage.',
  'error.noItems': 'Bitte mindestens einen Inhalt auswählen, der aus der Vorlage kopiert wird.',
  'error.noFork': 'Dieses Repository ist kein Fork.',
  'error.upstreamHidden': 'Auf das Upstream-Repository besteht kein Zugriff.',
  'error.notFastForward': '{branch} enthält eigene Commits; ein Fast-Forward ist nicht möglich.',
  'error.conflicts': 'Die Branches stehen in Konflikt bei: {files}',
};
