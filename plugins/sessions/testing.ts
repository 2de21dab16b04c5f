/** For tests of plugins whose pages or API browsers use; not in the packed plugin. */
import { reply } from '@mortise/plugin-sdk';
import { formPost, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import { password } from '@mortise/accounts/testing';
import { sessions } from './contract/sessions.js';

/** The header `Cookie` of a new session of that account. */
export async function cookieOf(host: TestHost, userId: number): Promise<string> {
  const answer = await host.services
    .get(sessions)
    .signIn({ userId, remember: false, userAgent: 'test', remoteAddress: '127.0.0.1' }, reply.none());
  return `mortise_session=${answer.cookies[0]!.value}`;
}

/** A browser: keeps cookies and sends the CSRF token of the page that it saw last. */
export class Browser {
  readonly cookies = new Map<string, string>();
  csrf = '';

  constructor(private readonly host: TestHost) {}

  /** One that has signed in as an account of the kit of accounts, by the form. */
  static async signedIn(host: TestHost, name: string): Promise<Browser> {
    const browser = new Browser(host);
    await browser.go('/user/login');
    await browser.submit('/user/login', { user_name: name, password });
    return browser;
  }

  go(url: string): Promise<TestResponse> {
    return this.#send({ url });
  }

  submit(url: string, fields: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    return this.#send(formPost(url, { _csrf: this.csrf, ...fields }));
  }

  async #send(request: ReturnType<typeof formPost>): Promise<TestResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.host.inject({
      ...request,
      headers: { ...request.headers, ...(cookie ? { cookie } : {}) },
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/Max-Age=0/.test(line)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    this.csrf = /name="_csrf" value="([^"]+)"/.exec(answer.payload)?.[1] ?? this.csrf;
    return answer;
  }
}
