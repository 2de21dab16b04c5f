import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { SecureContextOptions, Server as TlsServer } from 'node:tls';
import { isAbsolute, join } from 'node:path';
import type { CertificateSource, Logger, SiteCertificate } from '@mortise/plugin-sdk';
import type { ServerSettings } from './settings.js';

const intervalMs = 60_000;
/** While there is no certificate yet. */
const firstMs = 1000;

/** The files of the settings, read again when they have changed. */
export class CertificateFiles implements CertificateSource {
  readonly key = 'files';
  #read: { readonly changedAt: string; readonly certificate: SiteCertificate } | undefined;

  constructor(
    private readonly settings: Pick<ServerSettings, 'CERT_FILE' | 'KEY_FILE'>,
    private readonly workDir: string,
  ) {}

  async current(): Promise<SiteCertificate> {
    const { CERT_FILE, KEY_FILE } = this.settings;
    const paths = [CERT_FILE, KEY_FILE].map((path) => (isAbsolute(path) ? path : join(this.workDir, path)));
    const changedAt = (await Promise.all(paths.map((path) => stat(path)))).map(({ mtimeMs }) => mtimeMs).join(' ');
    if (this.#read?.changedAt !== changedAt) {
      const [cert = '', key = ''] = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
      this.#read = { changedAt, certificate: { cert, key } };
    }
    return this.#read.certificate;
  }
}

/** Answers with the certificate of a source, and with the next one when that has changed; no connection is ended. */
export class Certificates {
  #used: SiteCertificate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly source: CertificateSource,
    private readonly listener: TlsServer,
    private readonly log: Logger,
    /** What is spoken, beside the certificate. */
    private readonly options: SecureContextOptions = {},
  ) {}

  /** Throws where there should be one and it cannot be read. */
  async start(): Promise<void> {
    await this.#refresh();
    if (!this.#used)
      this.log.warn('there is no certificate yet; refusing connections until there is', {
        event: 'http.noCertificate',
      });
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () =>
        void this.#refresh()
          .catch((error: unknown) =>
            this.log.warn('could not read the certificate again; keeping the one before', {
              event: 'http.certificate',
              error,
            }),
          )
          .then(() => this.#wait()),
      this.#used ? intervalMs : firstMs,
    );
    this.#timer.unref();
  }

  async #refresh(): Promise<void> {
    const next = await this.source.current();
    if (!next || (next.cert === this.#used?.cert && next.key === this.#used.key)) return;
    // an empty file, as while it is written anew, would be taken
    if (!new X509Certificate(next.cert).checkPrivateKey(createPrivateKey(next.key)))
      throw new Error('the private key is not that of the certificate');
    this.listener.setSecureContext({ ...this.options, cert: next.cert, key: next.key });
    this.#used = next;
  }
}
