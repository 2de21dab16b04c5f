import { subjects, type Subject } from '../services/subjects.js';
import { en } from '../texts/en.js';
import { t } from '../texts/index.js';

type LabelKey = Extract<keyof typeof en, `subject.${string}`>;
const isLabel = (key: string): key is LabelKey => Object.hasOwn(en, key);
const keyOf = (subject: Subject): string => `subject.${subject.replaceAll(':', '.')}`;

/** What people choose from: those with a name. */
export const shownSubjects = subjects.filter((subject) => isLabel(keyOf(subject)));

/** What a subject is called; of those that only clients write, the subject itself. */
export function subjectLabel(subject: Subject): string {
  const key = keyOf(subject);
  return isLabel(key) ? t(key) : subject;
}
