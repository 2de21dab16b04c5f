/** Headers by lower-case name, the first of each. */
export type MailHeaders = Readonly<Record<string, string>>;

const isSet = (value: string | undefined): boolean => value !== undefined && value.trim().toLowerCase() !== 'no';

/** Written by a program: a holiday notice, a bounce, a mailing. Whoever answers those goes on for ever (RFC 3834). */
export function isAutomatic(headers: MailHeaders): boolean {
  return (
    isSet(headers['auto-submitted']) ||
    isSet(headers['x-autoreply']) ||
    isSet(headers['x-autorespond']) ||
    /^(?:bulk|junk|auto_reply)\b/i.test(headers.precedence?.trim() ?? '') ||
    headers['return-path']?.trim() === '<>' ||
    /^multipart\/report\b/i.test(headers['content-type']?.trim() ?? '')
  );
}
