import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  code: 'Code',
  history: 'Verlauf',
  permalink: 'Permalink',
  line: 'Zeile {line}',
  moreLines:
    '{count, plural, one {# weitere Zeile wird nicht angezeigt.} other {# weitere Zeilen werden nicht angezeigt.}}',

  'clone.menu': 'Code',
  'clone.title': 'Klonen',
  'clone.protocol': 'Protokoll',
  'clone.copy': '{protocol}-Adresse kopieren',
  'clone.token': 'Über {protocol} fragt Git nach Benutzername und Passwort. Als Passwort dient ein Zugriffstoken.',
  'clone.createToken': 'Zugriffstoken generieren',

  'empty.title': 'Dieses Repository ist leer',
  'empty.new': 'Neues Repository auf der Kommandozeile erstellen',
  'empty.push': 'Vorhandenes Repository pushen',
  'empty.copy': 'Befehle kopieren',

  'about.title': 'Über dieses Repository',
  'about.noDescription': 'Keine Beschreibung vorhanden.',
  'about.languages': 'Sprachen',
  'about.download': 'Herunterladen',

  'home.branches': '{count, plural, one {<b>#</b> Branch} other {<b>#</b> Branches}}',
  'home.tags': '{count, plural, one {<b>#</b> Tag} other {<b>#</b> Tags}}',
  'home.commits': '{count, plural, one {<b>#</b> Commit} other {<b>#</b> Commits}}',
  'home.allCommits': 'Commits',
  'home.find': 'Gehe zu Datei',
  'home.findKey': 'Gehe zu Datei (t)',
  'home.search': 'Code durchsuchen',
  'home.searchKey': 'Code durchsuchen (/)',
  'home.titleAt': '{path} in {name}',

  'folder.files': 'Dateien',
  'folder.parent': 'Übergeordneter Ordner (..)',
  'folder.loading': 'Letzte Commits werden geladen …',
  'folder.refresh': 'Aktualisieren',
  'folder.entries': 'Einträge {from, number} bis {to, number} von {total, number}',

  'file.raw': 'Rohdaten',
  'file.blame': 'Blame',
  'file.source': 'Quelltext',
  'file.rendered': 'Ansicht',
  'file.copy': 'Dateiinhalt kopieren',
  'file.lines': '{count, plural, one {# Zeile} other {# Zeilen}}',
  'file.executable': 'ausführbar',
  'file.stored': 'mit Git LFS gespeichert',
  'file.pointer': 'Verweis auf {size} in Git LFS',
  'file.damaged': 'Diese Datei kann nicht gelesen werden: Objekte des Repositorys fehlen oder sind beschädigt.',
  'file.empty': 'Diese Datei ist leer.',
  'file.firstPart': 'Diese Datei ist groß. Nur ihr erster Teil wird angezeigt. <link>Rohdaten anzeigen</link>',
  'file.firstLines': 'Nur {shown, number} von {total, number} Zeilen werden angezeigt. <link>Rohdaten anzeigen</link>',
  'file.longLines': 'Lange Zeilen sind gekürzt. <link>Rohdaten anzeigen</link>',
  'file.tooLarge': 'Diese Datei ist zu groß für die Anzeige ({size}).',
  'file.binary': 'Binärdatei wird nicht angezeigt ({size}).',
  'file.download': 'Herunterladen',
  'file.bidi':
    'Diese Datei enthält Zeichen, die die Schreibrichtung ändern. Sie kann anders interpretiert werden, als sie angezeigt wird.',
  'file.bidiCharacter': 'Unsichtbares Zeichen {name}, das die Schreibrichtung ändert',
  'file.link': 'Symbolischer Link auf {target}',
  'file.linkOutside': 'Symbolischer Link auf {target} (nicht in diesem Repository)',

  'blame.title': 'Blame von {path}',
  'blame.before': 'Blame vor dieser Änderung',

  'find.title': 'Gehe zu Datei',
  'find.label': 'Pfad oder ein Teil davon',
  'find.submit': 'Suchen',
  'find.none': 'Keine passenden Dateien',
  'find.some': 'Nur die ersten {shown, number} Treffer unter {total, number} Dateien werden angezeigt.',
  'find.someOfFirst':
    'Nur die ersten {shown, number} Treffer unter den ersten {total, number} Dateien werden angezeigt.',

  'search.title': 'Code durchsuchen',
  'search.titleOf': 'Codesuche: {text}',
  'search.path': 'Ordner oder Datei',
  'search.mode': 'Art der Suche',
  'search.exact': 'Genaue Übereinstimmung',
  'search.regex': 'Regulärer Ausdruck',
  'search.submit': 'Suchen',
  'search.late':
    'Die Suche hat zu lange gedauert oder der reguläre Ausdruck ist ungültig. Bitte einen längeren Begriff verwenden oder einen Ordner angeben.',
  'search.none': 'Keine Ergebnisse',
  'search.found': '{lines, plural, one {# Zeile} other {# Zeilen}} in {files, plural, one {# Datei} other {# Dateien}}',
  'search.foundFirst': 'Die ersten {lines, number} Zeilen in {files, plural, one {# Datei} other {# Dateien}}',
  'search.moreInFile':
    '{count, plural, one {# weitere Zeile in dieser Datei} other {# weitere Zeilen in dieser Datei}}',

  'error.blameLarge': 'Diese Datei ist zu groß für Blame. Höchstens {size} sind möglich.',
  'error.blameLines': 'Diese Datei hat zu viele Zeilen für Blame. Höchstens {max, number} Zeilen sind möglich.',
  'error.blameBinary': 'Blame ist für Binärdateien nicht verfügbar.',

  'error.badPath': '„{path}“ ist kein gültiger Dateipfad. Leere Teile, „.“, „..“ und „.git“ sind nicht erlaubt.',
  'error.base64': 'Der Inhalt ist kein gültiges Base64.',
  'error.badBranch': '„{name}“ ist kein gültiger Branch-Name.',
  'error.noBranch': 'Der Branch {name} existiert nicht.',
  'error.branchExists': 'Ein Branch mit dem Namen {name} existiert bereits.',
  'error.twice': '{path} ist mehrfach angegeben.',
  'error.moveByUpdate': '{from} kann nur durch eine Aktualisierung mit Angabe des SHA nach {path} verschoben werden.',
  'error.exists': '{path} existiert bereits.',
  'error.noFile': '{path} ist keine Datei.',
  'error.missing': '{path} existiert nicht.',
  'error.changed': '{path} wurde in der Zwischenzeit geändert. Der SHA ist jetzt {sha}.',
  'error.symbolicLink': '{path} ist ein symbolischer Link.',
  'error.date': '„{text}“ ist keine gültige Zeitangabe. Erwartet wird ISO 8601, zum Beispiel 2026-01-31T12:00:00Z.',
  'error.revertConflicts':
    'Der Revert dieses Commits ist hier wegen Konflikten in {files}{more, plural, =0 {} one { und # weiterer Datei} other { und # weiteren Dateien}} nicht möglich. Bitte den Revert in einem lokalen Klon ausführen und die Konflikte dort lösen.',
  'error.pickConflicts':
    'Der Cherry-Pick dieses Commits ist hier wegen Konflikten in {files}{more, plural, =0 {} one { und # weiterer Datei} other { und # weiteren Dateien}} nicht möglich. Bitte den Cherry-Pick in einem lokalen Klon ausführen und die Konflikte dort lösen.',
  'error.revertsNothing':
    'Der Branch enthält die Änderungen dieses Commits nicht. Es gibt nichts rückgängig zu machen.',
  'error.picksNothing': 'Der Branch enthält die Änderungen dieses Commits bereits.',
  'error.archiveForm': 'Der Name eines Archivs muss auf .zip, .tar.gz oder .bundle enden.',
  'error.noReference': 'Die Referenz {name} existiert nicht.',
  'error.bundlePath': 'Ein Bundle enthält das ganze Repository; ein Pfad kann nicht angegeben werden.',
  'error.archivesBusy': 'Es werden gerade zu viele Archive erstellt. Bitte gleich noch einmal versuchen.',
  'error.archiveLate': 'Das Archiv wird noch erstellt. Bitte gleich noch einmal versuchen.',
  'error.archiveFailed': 'Das Archiv konnte nicht erstellt werden.',
};
