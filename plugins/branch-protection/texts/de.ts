import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'menu.branches': 'Branches',
  'menu.tags': 'Tags',
  'template.label': 'Branch-Schutz',

  'list.title': 'Branch-Schutz',
  'list.add': 'Regel hinzufügen',
  'list.about':
    'Regeln legen fest, wer in Branches pushen darf und was ein Pull Request vor dem Merge erfüllen muss. Passen mehrere Regeln auf einen Branch, gilt die erste.',
  'list.none': 'Keine geschützten Branches',
  'list.noneNote':
    'Alle mit Schreibzugriff können in jeden Branch pushen, auch per Force-Push, und jeden Branch löschen.',
  'list.edit': 'Bearbeiten',
  'list.editOf': 'Regel {name} bearbeiten',
  'list.delete': 'Löschen',
  'list.deleteOf': 'Regel {name} löschen',
  'list.deleteConfirm': 'Regel {name} löschen? Passende Branches werden nicht mehr durch sie geschützt.',
  'list.up': 'Regel {name} nach oben',
  'list.down': 'Regel {name} nach unten',
  'list.drag': 'Ziehen zum Umordnen',
  'list.place': 'Position der Regel {name}',
  'list.saveOrder': 'Reihenfolge speichern',
  'list.saved': 'Gespeichert. Die Regel {name} ist jetzt Nummer {place} von {count}.',
  'list.notSaved':
    'Die Reihenfolge konnte nicht gespeichert werden. Bitte die Seite neu laden und es erneut versuchen.',
  'list.noBranch': 'Passt auf keinen Branch',
  'list.moreBranches': '{names} und {more, plural, one {# weiterer} other {# weitere}}',

  'summary.pushListed': 'Eingeschränkte Pushes',
  'summary.pushAll': 'Pushes erlaubt',
  'summary.pushNone': 'Pushes gesperrt',
  'summary.forcePush': 'Force-Pushes erlaubt',
  'summary.approvals': '{count, plural, one {# Genehmigung} other {# Genehmigungen}}',
  'summary.checks': 'Statusprüfungen',
  'summary.signed': 'Signierte Commits',
  'summary.mergeListed': 'Eingeschränkte Merges',
  'summary.files': 'Geschützte Dateien',

  'rule.new': 'Neue Regel',
  'rule.of': 'Regel {name}',
  'rule.save': 'Regel speichern',
  'rule.usersWhat':
    'Benutzer mit Erlaubnis: {what, select, push {Push} forcePush {Force-Push} merge {Merge} bypass {Anforderungen umgehen} other {Genehmigen}}',
  'rule.usersNote': 'Benutzernamen, durch Kommas getrennt.',
  'rule.teamsWhat':
    'Teams mit Erlaubnis: {what, select, push {Push} forcePush {Force-Push} merge {Merge} bypass {Anforderungen umgehen} other {Genehmigen}}',
  'rule.teamsNote': 'Teamnamen, durch Kommas getrennt. Verfügbar: {teams}',

  'rule.branches': 'Branches',
  'rule.pattern': 'Branch-Name oder Muster',
  'rule.patternNote':
    'In Mustern stehen <star></star> und <question></question> für beliebige Zeichen außer Schrägstrichen, <stars></stars> für alles, <set></set> für eines der Zeichen und <words></words> für eines der Wörter. <example></example> passt auf <match></match>, aber nicht auf <noMatch></noMatch>. Passende Branches können nicht gelöscht werden.',

  'rule.pushes': 'Pushes',
  'rule.push': 'Wer pushen darf',
  'rule.nobody': 'Niemand',
  'rule.pushNobodyNote': 'Änderungen erfordern einen Pull Request.',
  'rule.writers': 'Alle mit Schreibzugriff',
  'rule.listed': 'Nur ausgewählte Benutzer und Teams',
  'rule.pushKeys': 'Deploy-Schlüssel mit Schreibzugriff zulassen',
  'rule.signed': 'Signierte Commits verlangen',
  'rule.signedNote': 'Pushes mit Commits ablehnen, die nicht signiert sind oder sich nicht verifizieren lassen.',

  'rule.forcePushes': 'Force-Pushes',
  'rule.forcePush': 'Wer Force-Pushes ausführen darf',
  'rule.forceNobodyNote': 'Der Verlauf kann nicht umgeschrieben werden.',
  'rule.pushers': 'Alle, die pushen dürfen',
  'rule.forceListedNote': 'Sie müssen auch pushen dürfen.',
  'rule.forceKeys': 'Deploy-Schlüssel zulassen, die pushen dürfen',

  'rule.files': 'Dateien',
  'rule.protected': 'Geschützte Dateien',
  'rule.protectedNote':
    'Diese Dateien können nicht per Push geändert werden. Muster werden durch Semikolons getrennt; <stars></stars> gilt über Ordner hinweg, sodass <example></example> in jedem Ordner passt.',
  'rule.unprotected': 'Ungeschützte Dateien',
  'rule.unprotectedNote':
    'Alle mit Schreibzugriff können Änderungen pushen, die nur diese Dateien betreffen, auch wenn Pushes eingeschränkt sind.',

  'rule.merges': 'Merges',
  'rule.merge': 'Wer mergen darf',
  'rule.outdated': 'Pull Requests müssen auf dem neuesten Stand sein',
  'rule.admins': 'Diese Regeln auch auf Administratoren anwenden',
  'rule.bypass': 'Ausnahmen von den Anforderungen zulassen',
  'rule.bypassNote': 'Ausgewählte Benutzer und Teams können mergen, obwohl Anforderungen nicht erfüllt sind.',

  'rule.reviews': 'Reviews',
  'rule.approvals': 'Erforderliche Genehmigungen',
  'rule.approvalsNote': 'Bei 0 können Pull Requests ohne Genehmigung gemergt werden.',
  'rule.approvalsListed': 'Nur Genehmigungen ausgewählter Benutzer und Teams zählen',
  'rule.rejected': 'Merge bei angeforderten Änderungen sperren',
  'rule.requested': 'Merge bei offenen Review-Anfragen sperren',
  'rule.codeOwners': 'Genehmigung der Code-Owner verlangen',
  'rule.codeOwnersNote': 'Für jede geänderte Datei, die CODEOWNERS aufführt, muss mindestens ein Eigentümer zustimmen.',
  'rule.dismiss': 'Genehmigungen bei neuen Commits verwerfen',
  'rule.stale': 'Genehmigungen von vor dem letzten Push ignorieren',

  'rule.checks': 'Statusprüfungen',
  'rule.requireChecks': 'Erfolgreiche Statusprüfungen verlangen',
  'rule.contexts': 'Erforderliche Prüfungen',
  'rule.contextsNote': 'Eine Prüfung oder ein Muster je Zeile.',
  'rule.contextsRecent': 'Kürzliche Prüfungen: {names}',

  'tags.title': 'Tag-Schutz',
  'tags.one': 'Regel für Tags',
  'tags.about':
    'Nur die ausgewählten Benutzer und Teams können passende Tags und deren Releases erstellen, verschieben und löschen.',
  'tags.none': 'Keine geschützten Tags',
  'tags.noneNote': 'Alle mit Schreibzugriff können jeden Tag erstellen, verschieben und löschen.',
  'tags.nobody': 'Niemand',
  'tags.deleteConfirm': 'Regel {name} löschen? Passende Tags werden nicht mehr durch sie geschützt.',
  'tags.pattern': 'Tag-Name oder Muster',
  'tags.patternNote':
    'Ein Name, ein Muster mit <star></star>, <question></question>, <set></set> und <words></words> oder ein regulärer Ausdruck zwischen Schrägstrichen: <expression></expression>',
  'tags.users': 'Berechtigte Benutzer',
  'tags.usersNote': 'Benutzernamen, durch Kommas getrennt. Alle anderen werden abgewiesen, auch Administratoren.',
  'tags.teams': 'Berechtigte Teams',

  'error.missing': 'Diese Regel existiert nicht.',
  'error.nameRequired': 'Bitte einen Branch-Namen oder ein Muster eingeben.',
  'error.nameInvalid': '„{name}“ ist kein gültiger Branch-Name und kein gültiges Muster.',
  'error.nameTaken': 'Eine Regel für „{name}“ existiert bereits.',
  'error.tagRequired': 'Bitte einen Tag-Namen oder ein Muster eingeben.',
  'error.tagInvalid': '„{name}“ ist kein gültiges Tag-Muster.',
  'error.tagPeople': 'Bitte mindestens einen Benutzer oder ein Team auswählen.',
  'error.fileMany': 'Es sind höchstens {max, plural, one {# Dateimuster} other {# Dateimuster}} möglich.',
  'error.fileInvalid': '„{pattern}“ ist kein gültiges Dateimuster.',
  'error.noUser': 'Der Benutzer „{name}“ existiert nicht.',
  'error.noTeam': 'Das Team „{name}“ existiert nicht.',
  'error.noWriters':
    'Diese Benutzer haben keinen Schreibzugriff auf dieses Repository und können nicht ausgewählt werden: {names}',
  'error.tagProtected': 'Der Tag {tag} ist geschützt: Erstellen, Verschieben und Löschen sind nicht erlaubt.',
  'error.mergeDenied': 'Der Branch {branch} ist geschützt: Merges sind nicht erlaubt.',
  'error.deleteDenied': 'Der Branch {branch} ist geschützt und kann nicht gelöscht werden.',
  'error.renameDenied':
    'Der Branch {branch} ist geschützt: Nur Administratoren des Repositorys können ihn umbenennen, und nur, wenn die Regel allein für diesen Branch gilt.',
  'error.forceDenied': 'Der Branch {branch} ist geschützt: Force-Pushes sind nicht erlaubt.',
  'error.pushDenied': 'Der Branch {branch} ist geschützt: Pushes sind nicht erlaubt.',
  'error.pullOnly': 'Der Branch {branch} ist geschützt: Änderungen erfordern einen Pull Request.',
  'error.filesDenied': 'Der Branch {branch} ist geschützt: Ein Push kann nicht ändern: {files}',
  'error.unsignedMany':
    'Der Branch {branch} verlangt signierte Commits: Ein Push kann höchstens {max, number} davon enthalten.',
  'error.unsigned':
    'Der Branch {branch} verlangt signierte Commits: {commit} „{subject}“ {why, select, unsigned {ist nicht signiert} other {hat eine Signatur, die sich nicht verifizieren lässt ({reason})}}.',
};
