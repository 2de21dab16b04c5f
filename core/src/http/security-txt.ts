import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Joi, reply, splitList, type Route } from '@mortise/plugin-sdk';
import type { HttpKernel } from './kernel.js';

const address = '/.well-known/security.txt';
const dayMs = 86_400_000;
/** RFC 9116 recommends less than a year; the file is made anew for each answer, so a quarter is enough. */
const validDays = 90;

/** Addresses to report vulnerabilities to, as `Contact` of RFC 9116 takes them: what looks like a mailbox becomes `mailto:`. */
export const securityContact = Joi.string()
  .allow('')
  .default('')
  .custom((text: string, { message }) => {
    const contacts = contactsOf(text);
    const wrong = contacts.find(
      (uri) => !/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/].*|tel:\+?[\d().-]+)$/i.test(uri),
    );
    return wrong === undefined
      ? contacts.join(',')
      : message({ custom: `{{#label}}: ${wrong} is neither an email address nor an https: or tel: address` });
  });

const contactsOf = (text: string): string[] =>
  splitList(text).map((one) => (/^[^\s:@/]+@[^\s@/]+$/.test(one) ? `mailto:${one}` : one));

/**
 * Where to report vulnerabilities of this site (RFC 9116), from `[security] CONTACT`. A file of that name in the folder of
 * public files is served in its place, since it may be signed.
 */
export function securityTxtRoutes({ site, settings }: HttpKernel): Route[] {
  const contacts = contactsOf(settings.security.CONTACT);
  if (contacts.length === 0 || existsSync(join(site.workDir, 'public', address))) return [];
  return [
    {
      method: 'GET',
      path: address,
      surface: 'protocol',
      access: { actor: 'anyone', always: true },
      handler: () => {
        // the same text for a whole day, so that caches can tell it by its tag
        const expires = new Date((Math.floor(Date.now() / dayMs) + validDays) * dayMs);
        const lines = [
          ...contacts.map((uri) => `Contact: ${uri}`),
          `Expires: ${expires.toISOString().replace('.000', '')}`,
          // the RFC allows addresses of https alone
          ...(site.rootUrl.startsWith('https:') ? [`Canonical: ${site.url(address)}`] : []),
        ];
        return reply.text(`${lines.join('\n')}\n`).header('cache-control', 'public, max-age=3600');
      },
    },
  ];
}
