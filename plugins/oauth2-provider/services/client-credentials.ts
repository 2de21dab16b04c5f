import { readBasic } from '@mortise/plugin-sdk';

interface ClientCredentials {
  readonly clientId: string;
  readonly secret: string | undefined;
  /** They came in the header `Authorization`. */
  readonly isBasic: boolean;
}

/** In basic form both halves are encoded as in a form (RFC 6749 2.3.1); many programs forget it. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Who an application says that it is, in the header or in the form. */
export function clientCredentials(
  headers: Readonly<Record<string, string | undefined>>,
  body: Readonly<Record<string, string>>,
): ClientCredentials {
  const basic = headers.authorization === undefined ? undefined : readBasic(headers.authorization);
  return basic
    ? { clientId: decoded(basic.user), secret: decoded(basic.password), isBasic: true }
    : { clientId: body.client_id ?? '', secret: body.client_secret, isBasic: false };
}
