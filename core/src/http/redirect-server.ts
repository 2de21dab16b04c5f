import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an ACME server asks for by plain HTTP (RFC 8555, 8.3): one path as it stands, in which nothing leads elsewhere. */
const challenge = /^\/\.well-known\/acme-challenge\/[\w-]+$/;
const headersTimeoutMs = 10_000;

/** `[server] REDIRECT_OTHER_PORT`: leads from http to the root address. */
export class RedirectServer {
  readonly listener: Server;

  /** `answer`: of the site, for what ACME servers ask for; absent: they are not expected. */
  constructor(rootUrl: string, answer?: RequestListener) {
    const { origin } = new URL(rootUrl);
    this.listener = createServer((request, response) => {
      const path = request.url?.startsWith('/') ? request.url : '/';
      if (answer && request.method === 'GET' && challenge.test(path)) return void answer(request, response);
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
