import type { Translation } from '../texts.js';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'time.now': 'gerade eben',
  'pager.label': 'Seiten',
  copied: 'Kopiert',

  'pager.previous': 'Zurück',
  'pager.next': 'Weiter',
  'pager.position': '{page, number} von {last, number}',
  'search.submit': 'Suchen',
  'settings.search': 'Einstellungen durchsuchen',
  'settings.none': 'Keine passenden Einstellungen',
  'settings.noneText': 'Andere Wörter versuchen oder die Seiten des Menüs durchsehen.',
  'form.saved': 'Die Änderungen wurden gespeichert.',
  'form.deleted': '{name} wurde gelöscht.',
  'error.notFound': 'Diese Seite existiert nicht, oder es fehlt die Berechtigung, sie zu sehen.',
  'error.tooLarge': 'Die Anfrage ist größer als die erlaubten {size}.',
  'error.tooManyFiles': 'Ein Formular kann höchstens {count, plural, one {# Datei} other {# Dateien}} enthalten.',
  'input.required': '{field} ist erforderlich.',
  'input.maxLength': '{field} darf höchstens {limit, plural, one {# Zeichen} other {# Zeichen}} lang sein.',
  'input.minLength': '{field} muss mindestens {limit, plural, one {# Zeichen} other {# Zeichen}} lang sein.',
  'input.email': '{field} muss eine gültige E-Mail-Adresse sein.',
  'input.url': '{field} muss eine gültige URL sein.',
  'input.number': '{field} muss eine Zahl sein.',
  'input.integer': '{field} muss eine ganze Zahl sein.',
  'input.min': '{field} muss mindestens {limit, number} sein.',
  'input.max': '{field} darf höchstens {limit, number} sein.',
  'input.maxItems': '{field} darf höchstens {limit, plural, one {# Eintrag} other {# Einträge}} haben.',
  'input.minItems': '{field} muss mindestens {limit, plural, one {# Eintrag} other {# Einträge}} haben.',
  'input.oneOf': '{field} muss {values} sein.',
  'input.invalid': '{field} ist ungültig.',
};
