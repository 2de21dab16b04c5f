import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const maxBytes = 4 * 1024 * 1024;

/** Certificates of `[webhook] CA_FILE`; throws for a file that holds none. Empty: no file is named. */
export function readCertificates(path: string): string {
  if (!path) return '';
  let text: string;
  try {
    text = readFileSync(path, 'utf8').slice(0, maxBytes);
    const matches = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (matches.length === 0) throw new Error('it holds no certificate');
    for (const one of matches) new X509Certificate(one);
  } catch (error) {
    throw new Error(`[webhook] CA_FILE = ${path} cannot be used: ${(error as Error).message}`, { cause: error });
  }
  return text;
}
