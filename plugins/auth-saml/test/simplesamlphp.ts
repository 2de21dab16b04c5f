import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '@mortise/plugin-sdk/testing';
import { makeKeyPair } from './idp.js';

const installed = '/usr/share/simplesamlphp';
export const hasSimpleSamlPhp = existsSync(`${installed}/www`) && existsSync('/usr/bin/php');

/** What a test has written counts in the next request. */
const freshFiles = ['-d', 'opcache.revalidate_freq=0'];

/** Somebody whom the provider knows, with the password `there`. */
export type Person = Readonly<Record<string, readonly string[]>>;

/** What a provider signs and encrypts; by default both the response and the assertion are signed. */
export interface Protection {
  readonly signsResponse?: boolean;
  readonly signsAssertion?: boolean;
  readonly encrypts?: boolean;
}

const phpOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(phpOf).join(', ')}]`;
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`;
  if (value === null || typeof value !== 'object') return String(value);
  return `[${Object.entries(value)
    .map(([key, one]) => `${phpOf(key)} => ${phpOf(one)}`)
    .join(', ')}]`;
};

/** SimpleSAMLphp as a provider, in PHP's own server: its configuration, keys and sessions lie in a folder. */
export class SimpleSamlPhp {
  readonly #keys = makeKeyPair();
  readonly url: string;
  #said = '';
  #child: ChildProcess | undefined;
  #siteFiles: readonly string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {
    this.url = `http://127.0.0.1:${port}/`;
  }

  static async start(): Promise<SimpleSamlPhp> {
    const provider = new SimpleSamlPhp(mkdtempSync(join(tmpdir(), 'mortise-simplesamlphp-')), await freePort());
    try {
      await provider.#begin();
      return provider;
    } catch (error) {
      provider.stop();
      throw error;
    }
  }

  async #begin(): Promise<void> {
    for (const name of ['config', 'metadata', 'keys', 'data']) mkdirSync(join(this.folder, name));
    writeFileSync(join(this.folder, 'keys', 'idp.key'), this.#keys.key);
    writeFileSync(join(this.folder, 'keys', 'idp.crt'), this.#keys.certificate);
    this.#configure();
    this.people({});
    this.protect({});
    this.#child = spawn('php', [...freshFiles, '-S', `127.0.0.1:${this.port}`, '-t', `${installed}/www`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: join(this.folder, 'config') },
    });
    this.#child.stderr?.on('data', (chunk) => (this.#said = `${this.#said}${chunk}`.slice(-5000)));
    for (let left = 100; ; left--) {
      const answer = await fetch(this.#metadataUrl).catch(() => undefined);
      if (answer?.ok && (await answer.text()).includes('EntityDescriptor')) return;
      if (left === 0 || this.#child.exitCode !== null) throw new Error(`SimpleSAMLphp does not start: ${this.#said}`);
      await wait(100);
    }
  }

  get #metadataUrl(): string {
    return `${this.url}saml2/idp/metadata.php?output=xml`;
  }

  #write(name: string, variable: string, value: unknown): void {
    writeFileSync(join(this.folder, name), `<?php\n$${variable} = ${phpOf(value)};\n`);
  }

  #configure(): void {
    const at = (name: string) => join(this.folder, name, '/');
    this.#write('config/config.php', 'config', {
      baseurlpath: this.url,
      certdir: at('keys'),
      datadir: at('data'),
      loggingdir: at('data'),
      tempdir: at('data'),
      metadatadir: at('metadata'),
      attributenamemapdir: '/etc/simplesamlphp/attributemap/',
      timezone: 'UTC',
      secretsalt: 'salt of tests',
      'auth.adminpassword': 'password of tests',
      'logging.handler': 'errorlog',
      'enable.saml20-idp': true,
      'module.enable': { exampleauth: true, core: true, saml: true },
      'session.cookie.secure': false,
      'session.cookie.samesite': null,
      'language.cookie.secure': false,
      'session.phpsession.savepath': at('data'),
      'store.type': 'phpsession',
      'metadata.sources': [{ type: 'flatfile' }, ...this.#siteFiles.map((file) => ({ type: 'xml', file }))],
    });
  }

  /** Whom it knows from now on, by their names. */
  people(people: Readonly<Record<string, Person>>): void {
    const known = Object.entries(people).map(([name, said]) => [`${name}:there`, { uid: [name], ...said }] as const);
    // as PHP numbers what has no key
    this.#write('config/authsources.php', 'config', {
      people: { 0: 'exampleauth:UserPass', ...Object.fromEntries(known) },
    });
  }

  protect({ signsResponse = true, signsAssertion = true, encrypts = false }: Protection): void {
    this.#write('metadata/saml20-idp-hosted.php', 'metadata', {
      '__DYNAMIC:1__': {
        host: '__DEFAULT__',
        privatekey: 'idp.key',
        certificate: 'idp.crt',
        auth: 'people',
        'validate.authnrequest': true,
        'sign.logout': true,
        'validate.logout': true,
        'saml20.sign.response': signsResponse,
        'saml20.sign.assertion': signsAssertion,
        'assertion.encryption': encrypts,
        NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        'simplesaml.nameidattribute': 'uid',
      },
    });
  }

  /** Reads in the metadata of a site, as an administrator of the provider does. */
  addSite(metadata: string): void {
    const file = join(this.folder, `site-${this.#siteFiles.length}.xml`);
    writeFileSync(file, metadata);
    this.#siteFiles = [...this.#siteFiles, file];
    this.#configure();
  }

  /** What it tells of itself. */
  async metadata(): Promise<string> {
    return (await fetch(this.#metadataUrl)).text();
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(amp|quot|lt|gt));/gi, (_all, decimal, hex, name) =>
    name
      ? { amp: '&', quot: '"', lt: '<', gt: '>' }[String(name).toLowerCase()]!
      : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(String(hex), 16)),
  );

/** A form as a browser would send it. */
export interface PageForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The first form of a page. */
function formIn(html: string, url: string): PageForm | undefined {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1];
  if (action === undefined) return undefined;
  const inputs = [...html.matchAll(/<input[^>]*>/g)].map(([input]) => ({
    name: / name="([^"]*)"/.exec(input)?.[1],
    value: / value="([^"]*)"/.exec(input)?.[1] ?? '',
  }));
  return {
    action: new URL(unescaped(action), url).href,
    fields: Object.fromEntries(inputs.flatMap(({ name, value }) => (name ? [[name, unescaped(value)]] : []))),
  };
}

/** A browser at the provider: keeps its cookies, and follows it until it leads elsewhere. */
export class BrowserAtProvider {
  readonly #cookies = new Map<string, string>();

  constructor(private readonly provider: SimpleSamlPhp) {}

  /** Where the provider leads to: a page of its own, which may have a form, or an address elsewhere. */
  async go(url: string, fields?: PageForm['fields']): Promise<{ readonly url: string; readonly form?: PageForm }> {
    if (!url.startsWith(this.provider.url)) return { url };
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location) return this.go(new URL(location, url).href);
    const form = formIn(await answer.text(), url);
    return { url, ...(form && { form }) };
  }

  /** Fills in the form of names and passwords where there is one; gives the form that leads back to the site. */
  async signIn(url: string, username: string): Promise<PageForm> {
    const { form } = await this.go(url);
    if (!form) throw new Error(`the provider shows no form at ${url}`);
    if (!('password' in form.fields)) return form;
    const next = await this.go(form.action, { ...form.fields, username, password: 'there' });
    if (!next.form) throw new Error('the provider shows no form after the password');
    return next.form;
  }
}
