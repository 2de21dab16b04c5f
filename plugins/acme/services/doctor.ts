import type { Finding } from '@mortise/plugin-sdk';
import type { CertificateService } from './certificate-service.js';

/** There is a certificate, and it holds for a while yet. */
export async function* checkCertificate(certificates: CertificateService): AsyncGenerator<Finding> {
  const until = await certificates.expiresAt();
  const { domain } = certificates;
  if (until === undefined) yield { level: 'warning', text: `there is no certificate for ${domain} yet` };
  else if (until < Date.now())
    yield { level: 'error', text: `the certificate for ${domain} expired on ${new Date(until).toISOString()}` };
  else yield { level: 'ok', text: `the certificate for ${domain} is valid until ${new Date(until).toISOString()}` };
}
