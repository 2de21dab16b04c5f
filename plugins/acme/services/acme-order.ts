import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { isAbsolute, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { SiteCertificate } from '@mortise/plugin-sdk';
import type { Challenges } from './challenges.js';

/** For one answer of the ACME server. */
const requestTimeoutMs = 30_000;
const maxAnswerBytes = 1_048_576;

interface OrderOptions {
  /** Empty: Let's Encrypt. */
  readonly directoryUrl: string;
  /** PEM. */
  readonly accountKey: string;
  readonly email: string;
  /** File with a certificate to trust, below the work folder; empty: none. */
  readonly rootFile: string;
  readonly workDir: string;
}

/** Loaded when a certificate is ordered: few sites do. */
async function acmeClient() {
  return (await import('acme-client')).default;
}

/** A new key of an account, PEM. */
export async function makeAccountKey(): Promise<string> {
  return String(await (await acmeClient()).crypto.createPrivateEcdsaKey());
}

export async function letsEncrypt(): Promise<string> {
  return (await acmeClient()).directory.letsencrypt.production;
}

/** When a certificate begins to hold, and when it ends. */
export async function validityOf(certificate: string): Promise<{ readonly from: number; readonly until: number }> {
  const { notBefore, notAfter } = (await acmeClient()).crypto.readCertificateInfo(certificate);
  return { from: notBefore.getTime(), until: notAfter.getTime() };
}

/** Orders a certificate for the domain by the challenge `http-01` (RFC 8555). Throws what the ACME server says. */
export async function orderCertificate(
  domain: string,
  { directoryUrl, accountKey, email, rootFile, workDir }: OrderOptions,
  challenges: Challenges,
): Promise<SiteCertificate> {
  const acme = await acmeClient();
  const { defaults } = acme.axios;
  Object.assign(defaults, { timeout: requestTimeoutMs, maxContentLength: maxAnswerBytes });
  // the job is tried again as a whole
  Object.assign((defaults as { acmeSettings?: object }).acmeSettings ?? {}, { retryMaxAttempts: 0 });
  if (rootFile !== '') {
    const root = readFileSync(isAbsolute(rootFile) ? rootFile : join(workDir, rootFile), 'utf8');
    defaults.httpsAgent = new Agent({ ca: [...rootCertificates, root] });
  }
  const client = new acme.Client({ directoryUrl, accountKey, backoffMin: 1000 });
  const [key, csr] = await acme.crypto.createCsr({ commonName: domain, altNames: [domain] });
  const cert = await client.auto({
    csr,
    ...(email !== '' && { email }),
    termsOfServiceAgreed: true,
    challengePriority: ['http-01'],
    // this server need not reach itself by its public name
    skipChallengeVerification: true,
    challengeCreateFn: (_authorization, { token }, keyAuthorization) => challenges.add(token, keyAuthorization),
    challengeRemoveFn: (_authorization, { token }) => challenges.remove(token),
  });
  return { cert, key: String(key) };
}
