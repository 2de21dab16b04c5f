import type {
  CertificateSource,
  Database,
  Encryption,
  Locks,
  Logger,
  Site,
  SiteCertificate,
} from '@mortise/plugin-sdk';
import { AcmeAccountRow } from '../models/account.js';
import { AcmeCertificateRow } from '../models/certificate.js';
import type { AcmeSettings } from '../settings.js';
import { letsEncrypt, makeAccountKey, orderCertificate, validityOf } from './acme-order.js';
import type { Challenges } from './challenges.js';

interface CertificateDeps {
  readonly database: Database;
  readonly locks: Locks;
  readonly site: Site;
  readonly encryption: Encryption;
  readonly challenges: Challenges;
  readonly settings: AcmeSettings;
}

const rejectionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

/** The certificate of the site: kept in the database, so that all nodes answer with the same. */
export class CertificateService implements CertificateSource {
  readonly key = 'acme';

  constructor(private readonly deps: CertificateDeps) {}

  /** Host of the root address. */
  get domain(): string {
    return new URL(this.deps.site.rootUrl).hostname;
  }

  async current(): Promise<SiteCertificate | undefined> {
    const stored = await this.#stored();
    return stored && { cert: stored.row.certificate, key: stored.key };
  }

  /** Milliseconds since 1970 UTC; undefined: there is none. */
  async expiresAt(): Promise<number | undefined> {
    return (await this.#stored())?.row.expires_at;
  }

  /**
   * Orders a certificate where there is none, or two thirds of its time are over. Throws what the ACME server says; when
   * `ended` is aborted, an order that goes on is left to itself.
   */
  async renew(log: Pick<Logger, 'info'>, ended: AbortSignal): Promise<void> {
    const { database, locks, encryption, challenges, settings, site } = this.deps;
    await locks.hold('acme', async (lock) => {
      const { domain } = this;
      const stored = await this.#stored();
      if (stored && stored.row.renew_at > Date.now()) return;
      const directoryUrl = settings.ACME_URL || (await letsEncrypt());
      const accountKey = await this.#accountKey(directoryUrl);
      const options = { directoryUrl, accountKey, email: settings.ACME_EMAIL, rootFile: settings.ACME_CA_ROOT };
      const order = orderCertificate(domain, { ...options, workDir: site.workDir }, challenges);
      const { cert, key } = await Promise.race([order, rejectionOf(AbortSignal.any([lock.signal, ended]))]);
      const { from, until } = await validityOf(cert);
      const row = {
        domain,
        certificate: cert,
        private_key: encryption.encrypt(key),
        renew_at: from + Math.floor(((until - from) * 2) / 3),
        expires_at: until,
      };
      await database.write(async () => {
        await database.query(AcmeCertificateRow).delete().where({ domain });
        await database.query(AcmeCertificateRow).insert(row);
      });
      log.info(`got a certificate for ${domain}, valid until ${new Date(until).toISOString()}`, {
        event: 'acme.renewed',
        domain,
      });
    });
  }

  /** Undefined also where the secret of the installation is another since, so that a new one is ordered. */
  async #stored(): Promise<{ readonly row: AcmeCertificateRow; readonly key: string } | undefined> {
    const { database, encryption } = this.deps;
    const row = await database.query(AcmeCertificateRow).findOne({ domain: this.domain });
    const key = row && encryption.decrypt(row.private_key);
    return row && key ? { row, key } : undefined;
  }

  async #accountKey(directory_url: string): Promise<string> {
    const { database, encryption } = this.deps;
    const row = await database.query(AcmeAccountRow).findOne({ directory_url });
    const known = row && encryption.decrypt(row.private_key);
    if (known) return known;
    const made = await makeAccountKey();
    await database.write(async () => {
      await database.query(AcmeAccountRow).delete().where({ directory_url });
      await database.query(AcmeAccountRow).insert({ directory_url, private_key: encryption.encrypt(made) });
    });
    return made;
  }
}
