import type { RequestListener } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import type { Server } from '@hapi/hapi';
import { certificateSources } from '@mortise/plugin-sdk';
import type { HttpDeps } from '../contracts.js';
import { CertificateFiles, Certificates } from './certificates.js';
import type { HttpKernel } from './kernel.js';
import { ProxyHeaders } from './proxy-protocol.js';
import { RedirectServer } from './redirect-server.js';
import { tlsOptions } from './tls-settings.js';

/** What `[server] PROTOCOL = https` needs beside the server: its certificate, and the port that leads from http to it. */
export class Https {
  readonly #certificates: Certificates;
  readonly #redirects: RedirectServer | undefined;

  constructor(
    private readonly kernel: HttpKernel,
    { points, log }: HttpDeps,
    server: Server,
  ) {
    const { settings, site, clients } = kernel;
    const source = points.reader(certificateSources).list()[0];
    const files = new CertificateFiles(settings.server, site.workDir);
    const listener = server.listener as unknown as TlsServer;
    this.#certificates = new Certificates(source ?? files, listener, log, tlsOptions(settings.tls));
    if (!source && !settings.server.REDIRECT_OTHER_PORT) return;
    const answer: RequestListener = (request, response) => server.listener.emit('request', request, response);
    this.#redirects = new RedirectServer(site.rootUrl, source && answer);
    if (settings.server.REDIRECTOR_USE_PROXY_PROTOCOL)
      new ProxyHeaders(settings.server, clients, log).attachTo(this.#redirects.listener, {
        isTls: false,
        isWithinTls: false,
      });
  }

  /** Before the port of https is opened. */
  async start(): Promise<void> {
    const { PORT_TO_REDIRECT, HTTP_ADDR } = this.kernel.settings.server;
    await this.#certificates.start();
    await this.#redirects?.listen(PORT_TO_REDIRECT, HTTP_ADDR);
  }

  async stop(): Promise<void> {
    this.#certificates.stop();
    await this.#redirects?.stop();
  }
}
