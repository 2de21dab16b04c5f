import type { en } from './en.js';

export const de: Record<keyof typeof en, string> = {
  'runner.title': 'Eingebauter Runner',
  'runner.about':
    'Ein Runner auf dieser Maschine übernimmt Jobs von Workflows, ohne dass ein Programm installiert werden muss. Er arbeitet nur für die, die hier genannt sind. Mit einem gelöschten Konto endet das; wer den Namen später bekommt, wird nicht bedient.',
  'runner.danger': 'Was er abschirmt und was nicht',
  'runner.onMachine':
    'Jobs laufen auf dieser Maschine als gewöhnliche Prozesse des Benutzers <user></user>, sofern sie keinen Container haben. Sie lesen und schreiben alles, was dieser Benutzer darf, erreichen jeden Dienst, den diese Maschine erreicht, und haben keine Grenze für Speicher oder Prozessoren.',
  'runner.fresh':
    'Jeder Job bekommt einen frischen Arbeitsordner und eine eigene Umgebung, und am Ende werden alle seine Prozesse beendet. Das hält Ordnung; es schützt vor niemandem.',
  'runner.sameUser':
    'Dieser Benutzer ist der des Servers: Ein Job kann seine Datenbank, seine Einstellungen und alle Repositories lesen. Mit USER in [actions.runner] laufen Jobs als ein anderer.',
  'runner.trust':
    'Darum bitte nur Besitzer nennen, die sich auch auf dieser Maschine anmelden dürften. Wer in eines ihrer Repositories schreiben darf, kann hier Programme ausführen.',
  'runner.serves': 'Besitzer, deren Jobs er übernimmt',
  'runner.servesNote': 'Namen von Benutzern oder Organisationen, durch Kommas getrennt.',
  'runner.forAll': 'Jobs jedes Repositorys übernehmen, wem es auch gehört',
  'runner.start': 'Runner starten',
  'runner.change': 'Speichern',
  'runner.stop': 'Runner anhalten',
  'runner.stopConfirm': 'Runner anhalten? Jobs, die auf ihm laufen, werden abgebrochen.',
  'runner.runs': 'Der Runner übernimmt Jobs von {names}.',
  'runner.stands': 'Der Runner ist angehalten.',
  'runner.all': 'jedem Repository',
  'runner.bySettings': 'Darüber entscheiden die Einstellungen des Servers: [actions.runner] ENABLED und SERVES.',
  'runner.asRoot':
    'Jobs dürfen nicht als root laufen. Bitte in [actions.runner] USER einen Benutzer nennen und den Server neu starten.',
  'runner.nobody': 'Bitte mindestens einen Besitzer nennen.',
  'runner.tooMany': 'Höchstens {count} Besitzer können genannt werden.',
  'runner.unknown': 'Es gibt keinen Besitzer {name}.',
};
