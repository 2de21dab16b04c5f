import { Invalid } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

const maxTitle = 255;

/** A name or a title: each run of white space and control characters is one space. */
export const singleLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** One line, not empty, at most 255 characters; Invalid otherwise. */
export function parseTitle(text: string): string {
  const title = singleLine(text);
  const refused = (message: ReturnType<typeof t.later>) => Invalid(message, { inputs: { title: message } });
  if (!title) throw refused(t.later('error.title'));
  if (title.length > maxTitle) throw refused(t.later('error.titleLong', { limit: maxTitle }));
  return title;
}
