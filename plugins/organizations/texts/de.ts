import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'error.blocked': 'Die Organisation und der Benutzer blockieren einander.',
  'error.email': 'Die E-Mail-Adresse ist ungültig.',
  'error.foreignRepository': 'Das Repository gehört nicht der Organisation des Teams.',
  'error.foreignTeam': 'Das Team mit der ID {id} gehört einer anderen Organisation.',
  'error.lastOwner': 'Der letzte Besitzer kann die Organisation nicht verlassen.',
  'error.mayNotCreate': 'Keine Berechtigung zum Erstellen von Organisationen.',
  'error.membersOnly': 'Das ist nur Mitgliedern der Organisation möglich.',
  'error.nameMissing': 'Ein Name ist erforderlich.',
  'error.noUnits': 'Das Team braucht Zugriff auf mindestens einen Bereich.',
  'error.noTeam': 'Es gibt kein Team mit der ID {id}.',
  'error.notAnOrganization': 'Das Repository gehört keiner Organisation.',
  'error.notAPerson': 'Organisationen können nicht Mitglied eines Teams sein.',
  'error.ownersOnly': 'Das ist nur Besitzern der Organisation möglich.',
  'error.ownersStay': 'Das Team der Besitzer kann nicht gelöscht werden.',
  'error.ownsOrganizations':
    'Der Benutzer ist der letzte Besitzer einer Organisation. Erst einen weiteren Besitzer hinzufügen oder sie löschen.',
  'error.privateTeam': 'Das Team ist privat.',
  'error.publicToken': 'Das Token ist auf öffentliche Organisationen beschränkt.',
  'error.teamName':
    'Der Name eines Teams kann Buchstaben, Ziffern, „-“, „_“ und „.“ enthalten und lautet nicht „new“ oder „search“.',
  'error.teamTaken': 'Die Organisation hat bereits ein Team namens {name}.',
  'error.teamHas': 'Das Team {team} hat bereits Zugriff auf das Repository.',
  'error.teamHasNot': 'Das Team {team} hat keinen Zugriff auf das Repository.',
  'error.tooLong': 'Höchstens {max, plural, one {# Zeichen} other {# Zeichen}}.',
  'error.unitMode': 'Ein Team kann auf einem einzelnen Bereich nicht die Berechtigung „{mode}“ haben.',
  'error.website': 'Die Website muss eine HTTP- oder HTTPS-Adresse sein.',
};
