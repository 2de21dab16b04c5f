import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  cancel: 'Abbrechen',
  crumbs: 'Pfad',

  'actions.add': 'Datei hinzufügen',
  'actions.new': 'Neue Datei',
  'actions.upload': 'Dateien hochladen',
  'actions.patch': 'Patch anwenden',
  'actions.deleteFolder': 'Ordner löschen',
  'actions.edit': 'Datei bearbeiten',
  'actions.delete': 'Datei löschen',
  'actions.tooMany': 'Ordner mit mehr als {max, number} Dateien können nur mit Git gelöscht werden.',

  'commit.title': 'Änderungen committen',
  'commit.submit': 'Committen',
  'commit.summary': 'Commit-Nachricht',
  'commit.description': 'Ausführliche Beschreibung',
  'commit.descriptionHint': 'Ausführliche Beschreibung (optional)',
  'commit.signoff': 'Eine Zeile <code>Signed-off-by</code> hinzufügen',
  'commit.where': 'Ziel-Branch',
  'commit.toBranch': 'In {branch} committen',
  'commit.protected': 'Dieser Branch ist geschützt: Direkte Commits sind nicht erlaubt.',
  'commit.toNewBranch': 'In einen neuen Branch committen',
  'commit.newBranch': 'Name des neuen Branches',

  'edit.title': '{path} bearbeiten',
  'edit.path': 'Dateipfad',
  'edit.text': 'Dateiinhalt',
  'edit.preview': 'Vorschau',
  'edit.showChanges': 'Änderungen anzeigen',
  'edit.changes': 'Änderungen',
  'edit.noChanges': 'Es gibt keine Änderungen.',

  'patch.label': 'Patch',
  'patch.placeholder': 'Ausgabe von git diff oder git format-patch',

  'upload.folder': 'Ordner',
  'upload.root': 'Leer lassen für die oberste Ebene',
  'upload.files': 'Dateien',
  'upload.limits':
    'Bis zu {count, plural, one {# Datei} other {# Dateien}} mit je höchstens {size}. Vorhandene Dateien mit demselben Namen werden ersetzt.',

  'delete.title': '{path} löschen',
  'delete.question': '{path} löschen?',
  'delete.files': '{count, plural, one {# Datei wird gelöscht} other {# Dateien werden gelöscht}}',
  'delete.file': 'Datei löschen',
  'delete.folder': 'Ordner löschen',

  'pick.revert': 'Revert',
  'pick.pick': 'Cherry-Pick',
  'pick.revertTitle': 'Revert eines Commits',
  'pick.title': 'Cherry-Pick eines Commits',
  'pick.branch': 'Ziel-Branch',
  'pick.change': 'Branch wechseln',
  'pick.merge': 'Dies ist ein Merge-Commit. Verwendet werden seine Änderungen gegenüber dem ersten Eltern-Commit.',

  'field.summary': 'Commit-Nachricht',
  'field.description': 'Ausführliche Beschreibung',
  'field.newBranch': 'Name des neuen Branches',
  'field.path': 'Dateipfad',
  'field.folder': 'Ordner',

  'error.tooLong': '{field}: {count, number} Zeichen sind zu lang. Höchstens {max, number} sind erlaubt.',
  'error.textTooLong':
    'Die Datei ist zu groß für diesen Editor. Die Grenze liegt bei {size}; größere Dateien bitte mit Git pushen.',
  'error.notEditable': 'Hier können nur UTF-8-Textdateien bis {size} bearbeitet werden.',
  'error.symbolicLink': 'Symbolische Links können hier nicht bearbeitet werden.',
  'error.noPatch': 'Bitte einen Patch eingeben.',
  'error.noFile': 'Bitte mindestens eine Datei auswählen.',
  'error.tooManyFiles':
    'Höchstens {max, plural, one {# Datei kann} other {# Dateien können}} gleichzeitig hochgeladen werden.',
  'error.fileTooLarge': '{name} ist zu groß. Die Grenze liegt bei {size}.',
  'error.fileType': 'Dateien wie {name} können hier nicht hochgeladen werden.',
  'error.folderTooLarge': 'Dieser Ordner enthält mehr als {max, number} Dateien. Bitte mit Git löschen.',
  'error.branchDenied': 'In den Branch {name} darf von diesem Konto nicht geschrieben werden.',
  'error.newBranch': 'Branches dürfen in diesem Repository von diesem Konto nicht angelegt werden.',
  'error.noBranch': 'Der Branch {name} existiert nicht.',
};
