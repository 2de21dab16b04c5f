import type { SentRequest } from '../models/delivery.js';

/** Stands for a secret in what is kept. */
export const mask = '******';

/** The ways in which a request can hold a text: as it is, as JSON, as part of an address or a form in either case. */
function formsOf(secret: string): string[] {
  const escaped = [
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
  ];
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [secret, JSON.stringify(secret).slice(1, -1), ...escaped, ...escaped.map(lower)];
}

/** The text without secrets, in whichever of their forms; the longest first, since one may be part of another. */
export function hidden(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.filter(Boolean).flatMap(formsOf))].filter(Boolean);
  forms.sort((one, other) => other.length - one.length);
  return forms.reduce((left, form) => left.replaceAll(form, mask), text);
}

/** What is kept of a request does not tell the passwords of its kind. */
export function hideRequest(request: SentRequest, secrets: readonly string[]): void {
  if (!secrets.some(Boolean)) return;
  request.url = hidden(request.url, secrets);
  request.body = hidden(request.body, secrets);
  for (const [name, value] of Object.entries(request.headers)) request.headers[name] = hidden(value, secrets);
}
