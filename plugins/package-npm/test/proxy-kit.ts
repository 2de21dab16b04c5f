import { createHash } from 'node:crypto';
import { makeUser, startHost, type KitUser, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import { FakeUpstream, tgz } from '@mortise/packages/testing';

type Settings = Readonly<Record<string, unknown>>;

/** Ada's npm registry, which proxies a fake one that has the package `far`. */
export class ProxyKit {
  static readonly path = '/api/packages/ada/npm';
  static readonly tarball = '/far/-/1.0.0/far-1.0.0.tgz';
  static readonly content = tgz({
    'package/package.json': '{"name":"far","version":"1.0.0"}',
    'package/index.js': '',
  });
  host!: TestHost;
  ada!: KitUser;

  private constructor(readonly upstream: FakeUpstream) {}

  static async open(): Promise<ProxyKit> {
    const kit = new ProxyKit(await FakeUpstream.start());
    kit.give('far', { '1.0.0': ProxyKit.content });
    return kit;
  }

  /** Starts the host, with these settings of `[packages]` and `[package-npm]`. */
  async start(packages: Settings = {}, npm: Settings = {}): Promise<void> {
    const settings: TestHostOptions['settings'] = {
      packages,
      'package-npm': { UPSTREAM: `${this.upstream.url}/`, ...npm },
    };
    this.host = await startHost({ plugins: ['package-npm', 'auth-basic'], settings });
    this.ada = await makeUser(this.host, 'ada');
  }

  read(path: string, headers: Readonly<Record<string, string>> = {}) {
    return this.host.inject({
      url: ProxyKit.path + path,
      headers: { authorization: this.ada.authorization, ...headers },
    });
  }

  /** Gives the proxied registry a package with these contents of its tarballs. */
  give(name: string, tarballs: Readonly<Record<string, Buffer>>, wrong?: Buffer): void {
    const plain = name.slice(name.indexOf('/') + 1);
    const versions = Object.entries(tarballs).map(([version, content]) => {
      const path = `/${name}/-/${plain}-${version}.tgz`;
      this.upstream.has(path, { body: wrong ?? content });
      const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
      const shasum = createHash('sha1').update(content).digest('hex');
      return [version, { name, version, dist: { tarball: `${this.upstream.url}${path}`, integrity, shasum } }] as const;
    });
    const document = { name, 'dist-tags': { latest: versions.at(-1)![0] }, versions: Object.fromEntries(versions) };
    this.upstream.has(`/${name.replace('/', '%2f')}`, { body: document });
  }

  async close(): Promise<void> {
    await this.host?.close();
    await this.upstream.close();
  }
}
