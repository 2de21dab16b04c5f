const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** For texts and the values of attributes in double quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!);

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
/** Undoes {@link escapeHtml}, which is all that the sanitizer leaves of entities. */
export const unescapeHtml = (html: string): string =>
  html.includes('&') ? html.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => characters[name]!) : html;
