import type { SentRequest } from '../models/delivery.js';

/** Replaces a secret in stored requests. */
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
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.filter(Boolean).flatMap(formsOf))].filter(Boolean);
  forms.sort((one, other) => other.length - one.length);
  return forms.reduce((left, form) => left.replaceAll(form, mask), text);
}

/** Removes secrets from a request before it is stored. */
export function redactRequest(request: SentRequest, secrets: readonly string[]): void {
  if (!secrets.some(Boolean)) return;
  request.url = redactSecrets(request.url, secrets);
  request.body = redactSecrets(request.body, secrets);
  for (const [name, value] of Object.entries(request.headers)) request.headers[name] = redactSecrets(value, secrets);
}
