import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'git.label': 'Git',
  'git.description': 'Jedes Repository, das Git klonen kann: Code, Tags und Wiki.',
  'gitea.label': 'Gitea, Forgejo',
  'gitea.description': 'Code, Issues, Pull-Requests, Reviews, Releases, Labels, Meilensteine und Wiki.',
  'gitea.token': 'Wird dort in den Einstellungen des Kontos erstellt; es muss Repositorys und Issues lesen dürfen.',
  'gogs.label': 'Gogs',
  'gogs.description': 'Code, Issues, Releases, Labels, Meilensteine und Wiki, soweit die Version sie kennt.',
  'field.username': 'Benutzername',
  'field.password': 'Passwort oder Token',
  'field.token': 'Zugriffstoken',

  'error.noMirrors': 'Spiegel gibt es auf dieser Website nicht.',
  'error.service': 'Die Quelle „{service}“ gibt es nicht.',
  'error.publicOnly': 'Mit einem Token nur für Öffentliches geht das nicht.',
  'error.disabled': 'Importe sind auf dieser Seite abgeschaltet.',
  'error.required': 'Diese Angabe wird gebraucht.',
  'error.ended': 'Der Import ist schon beendet.',
  'error.running': 'Der Import läuft noch oder ist fertig.',
  'error.cancelled': 'Der Import wurde abgebrochen.',
};
