import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const clientId = 'mortise';
export const clientSecret = 'a client secret that is long enough';

/** A provider of OpenID Connect of its own, where everybody signs in and agrees without being asked. */
export class OidcServer {
  /** What it says of people, by subject. */
  readonly people = new Map<string, Record<string, unknown>>();
  /** Who sits at the browser. */
  person = '';
  /** What it answers instead of asking. */
  refusal: { error: string; error_description: string } | undefined;

  /** Its ID tokens have the signature of somebody else. */
  forgesSignatures = false;

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  static async start(redirectUris: readonly string[]): Promise<OidcServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const one = new OidcServer(issuer, server);
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      cookies: { keys: ['a key'] },
      scopes: ['openid', 'profile', 'email', 'groups'],
      claims: {
        openid: ['sub'],
        profile: ['name', 'nickname', 'preferred_username', 'picture', 'keys', 'full'],
        email: ['email', 'email_verified'],
        groups: ['groups'],
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...one.people.get(sub) }) }),
    });
    provider.use(async (context, next) => {
      await next();
      const { id_token: idToken, ...rest } = (context.body ?? {}) as { id_token?: string };
      if (!one.forgesSignatures || context.path !== '/token' || !idToken) return;
      const [header, claims, signature] = idToken.split('.') as [string, string, string];
      const forged = Buffer.from(signature, 'base64url').map((byte) => byte ^ 1);
      context.body = { ...rest, id_token: `${header}.${claims}.${Buffer.from(forged).toString('base64url')}` };
    });
    const handle = provider.callback();
    const interact = async (request: IncomingMessage, response: ServerResponse) => {
      const { prompt, params, session } = await provider.interactionDetails(request, response);
      const finish = (result: object) =>
        provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
      if (one.refusal) return finish(one.refusal);
      if (prompt.name === 'login') return finish({ login: { accountId: one.person } });
      const grant = new provider.Grant({ accountId: session!.accountId, clientId: params.client_id });
      grant.addOIDCScope(params.scope);
      return finish({ consent: { grantId: await grant.save() } });
    };
    server.on('request', (request, response) => {
      if (!request.url!.startsWith('/interaction/')) return handle(request, response);
      interact(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    return one;
  }

  /** A fresh browser of that person: follows all redirects of the provider, and gives where it leads away. */
  async walk(address: string, person: string): Promise<URL> {
    this.person = person;
    const cookies = new Map<string, string>();
    let url = new URL(address);
    for (let step = 0; step < 12; step++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (value) cookies.set(name!, value);
        else cookies.delete(name!);
      }
      const location = answer.headers.get('location');
      if (!location) throw new Error(`${url.href} answers ${answer.status}: ${await answer.text()}`);
      url = new URL(location, url);
      if (url.origin !== this.issuer) return url;
    }
    throw new Error('the provider does not end');
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
