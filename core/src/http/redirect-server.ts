import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an ACME server asks for by plain HTTP (RFC 8555, 8.3). */
const challenges = '/.well-known/acme-challenge/';
const headersTimeoutMs = 10_000;

/** `[server] REDIRECT_OTHER_PORT`: leads from http to the root address. */
export class RedirectServer {
  readonly listener: Server;

  /** `answer`: of the site, for what ACME servers ask for. */
  constructor(rootUrl: string, answer: RequestListener) {
    const { origin } = new URL(rootUrl);
    this.listener = createServer((request, response) => {
      const path = request.url?.startsWith('/') ? request.url : '/';
      if (path.startsWith(challenges)) return void answer(request, response);
      response.writeHead(307, { location: origin + path, connection: 'close' }).end();
    });
    this.listener.headersTimeout = headersTimeoutMs;
    this.listener.requestTimeout = headersTimeoutMs;
  }

  /** Gives the port. */
  async listen(port: number, address: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.listener.once('error', reject).listen(port, address, () => resolve());
    });
    return (this.listener.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.listener.listening) return;
    const closed = new Promise((resolve) => this.listener.close(resolve));
    this.listener.closeAllConnections();
    await closed;
  }
}
