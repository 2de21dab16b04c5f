import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000 };
const hash = (algorithm: string, content: string) => createHash(algorithm).update(content).digest('hex');

/** Rows of packages, with the next id of each table. */
class PackageSource extends SourceFixture {
  #properties = 0;

  package(id: number, type: string, name: string, more: Record<string, number | string> = {}): void {
    const row = { id, owner_id: 7, repo_id: 0, type, name, lower_name: name.toLowerCase(), is_internal: 0, ...more };
    this.rows('package', row);
  }

  version(
    id: number,
    packageId: number,
    version: string,
    metadata: object | null,
    more: Record<string, number> = {},
  ): void {
    this.rows('package_version', {
      id,
      package_id: packageId,
      creator_id: 7,
      version,
      lower_version: version.toLowerCase(),
      metadata_json: JSON.stringify(metadata),
      is_internal: 0,
      download_count: 3,
      ...time,
      ...more,
    });
  }

  file(id: number, versionId: number, name: string, content: string, more: Record<string, number | string> = {}): void {
    const sha256 = hash('sha256', content);
    const path = join(this.folder, 'data', 'packages', sha256.slice(0, 2), sha256.slice(2, 4), sha256);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    this.rows('package_blob', {
      id,
      size: content.length,
      hash_md5: hash('md5', content),
      hash_sha1: hash('sha1', content),
      hash_sha256: sha256,
      hash_sha512: hash('sha512', content),
      ...time,
    });
    this.rows('package_file', {
      id,
      version_id: versionId,
      blob_id: id,
      name,
      lower_name: name.toLowerCase(),
      composite_key: '',
      is_lead: 1,
      ...time,
      ...more,
    });
  }

  property(of: 'version' | 'file' | 'package', id: number, name: string, value: string): void {
    const ref_type = { version: 0, file: 1, package: 2 }[of];
    this.rows('package_property', { id: ++this.#properties, ref_type, ref_id: id, name, value });
  }
}

const token = '0123456789abcdef0123456789abcdef01234567';
const plugins = [
  'takeover',
  'auth-basic',
  'auth-token',
  'package-alpine',
  'package-chef',
  'package-container',
  'package-debian',
  'package-generic',
  'package-maven',
  'package-npm',
];

describe('issue 28: packages of a server that is taken over', () => {
  let host: TestHost;
  let source: PackageSource;
  const take = () => host.command('takeover', { from: source.folder });
  const authorization = `Basic ${Buffer.from(`ada:${token}`).toString('base64')}`;
  const get = (url: string) => host.inject({ url, headers: { authorization } });
  beforeEach(async () => {
    host = await startHost({ plugins });
    source = new PackageSource();
    source.rows('user', {
      id: 7,
      lower_name: 'ada',
      name: 'ada',
      type: 0,
      is_active: 1,
      email: 'a@example.com',
      ...time,
    });
    source.rows('access_token', { id: 1, uid: 7, name: 'all', sha1: token, ...time });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('come with their files, counts and ids, and a second pass writes nothing', async () => {
    source.package(20, 'generic', 'Tool');
    source.version(30, 20, '1.0', null);
    source.file(40, 30, 'File.bin', 'content');
    source.package(21, 'unheard-of', 'other');
    source.version(31, 21, '1.0', null);
    const lines = await take();
    expect(lines).to.include('packages.packages: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('  1 skipped: there is no format unheard-of here');
    expect(lines).to.include('packages.files: 1 read, 1 written, 0 unchanged, 0 removed, 0 skipped');
    const { payload, statusCode } = await get('/api/packages/ada/generic/tool/1.0/file.bin');
    expect([statusCode, payload]).to.equal([200, 'content']);
    const listed = (await get('/api/v1/packages/ada')).json;
    expect(listed.map(({ id, name }: { id: number; name: string }) => [id, name])).to.equal([[30, 'Tool']]);
    const again = await take();
    expect(again).to.include('packages.versions: 2 read, 0 written, 1 unchanged, 0 removed, 1 skipped');
    expect(again).to.include('packages.files: 1 read, 0 written, 1 unchanged, 0 removed, 0 skipped');
  });

  it('npm gets its dist-tags, also those that moved between two passes', async () => {
    source.package(20, 'npm', '@ada/lib');
    source.version(30, 20, '1.0.0', {
      scope: '@ada',
      name: 'lib',
      author: 'Ada',
      development_dependencies: { tap: '^1' },
      repository: { type: '', url: '' },
    });
    source.file(40, 30, 'lib-1.0.0.tgz', 'packed');
    source.property('version', 30, 'npm.tag', 'latest');
    source.property('version', 30, 'npm.tag', 'old');
    await take();
    const document = async () => (await get('/api/packages/ada/npm/@ada%2Flib')).json;
    const first = await document();
    expect(first['dist-tags']).to.equal({ latest: '1.0.0', old: '1.0.0' });
    expect(first.versions['1.0.0'].devDependencies).to.equal({ tap: '^1' });
    expect(first.versions['1.0.0'].dist.shasum).to.equal(hash('sha1', 'packed'));
    source.run(`update package_property set value = 'next' where value = 'old'`);
    source.run('update package_version set download_count = 4');
    await take();
    expect((await document())['dist-tags']).to.equal({ latest: '1.0.0', next: '1.0.0' });
  });

  it('Maven packages, which older versions named with a hyphen, are at home under group and artifact', async () => {
    source.package(20, 'maven', 'com.example-my-tool');
    source.version(30, 20, '1.0', { group_id: 'com.example', artifact_id: 'my-tool', name: 'A tool' });
    source.file(40, 30, 'my-tool-1.0.pom', '<project/>');
    await take();
    const { payload, statusCode } = await get('/api/packages/ada/maven/com/example/my-tool/1.0/my-tool-1.0.pom');
    expect([statusCode, payload]).to.equal([200, '<project/>']);
    expect(await take()).to.include('packages.packages: 1 read, 0 written, 1 unchanged, 0 removed, 0 skipped');
    expect((await get('/api/packages/ada/maven/com/example/my-tool/maven-metadata.xml')).payload).to.contain(
      '<artifactId>my-tool</artifactId>',
    );
  });

  it('images are pulled by tag and digest; one whose manifest is broken is left out', async () => {
    const config = JSON.stringify({ os: 'linux', architecture: 'amd64', config: { Labels: { a: 'b' } } });
    const media = 'application/vnd.oci.image';
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: `${media}.manifest.v1+json`,
      config: { mediaType: `${media}.config.v1+json`, digest: `sha256:${hash('sha256', config)}`, size: config.length },
      layers: [],
    });
    source.package(20, 'container', 'tool');
    source.version(30, 20, 'latest', { type: 'oci', is_tagged: true });
    source.file(40, 30, 'manifest.json', manifest);
    source.property('file', 40, 'container.digest', `sha256:${hash('sha256', manifest)}`);
    source.property('file', 40, 'container.mediatype', `${media}.manifest.v1+json`);
    source.file(41, 30, `sha256_${hash('sha256', config)}`, config, { is_lead: 0 });
    source.property('file', 41, 'container.digest', `sha256:${hash('sha256', config)}`);
    source.version(31, 20, '_upload', null, { is_internal: 1 });
    source.version(32, 20, 'broken', { type: 'oci', is_tagged: true });
    source.file(42, 32, 'manifest.json', 'no JSON');
    const lines = await take();
    expect(lines).to.include('packages.versions: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('  1 skipped: its format cannot read it');
    expect((await get('/v2/ada/tool/tags/list')).json.tags).to.equal(['latest']);
    for (const reference of ['latest', `sha256:${hash('sha256', manifest)}`]) {
      const { payload, headers } = await get(`/v2/ada/tool/manifests/${reference}`);
      expect([payload, headers['content-type']]).to.equal([manifest, `${media}.manifest.v1+json`]);
    }
    expect((await get(`/v2/ada/tool/blobs/sha256:${hash('sha256', config)}`)).payload).to.equal(config);
    const { metadata } = await host.database.knex()('package_version').where('id', 30).first('metadata');
    expect(JSON.parse(metadata)).to.include({ labels: { a: 'b' }, platforms: ['linux/amd64'] });
  });

  it('indexes are made anew and signed with the keys that clients trust', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    source.rows('user_setting', { id: 1, user_id: 7, setting_key: 'alpine.key.private', setting_value: privateKey });
    source.rows('user_setting', { id: 2, user_id: 7, setting_key: 'alpine.key.public', setting_value: publicKey });
    source.rows('user_setting', { id: 3, user_id: 7, setting_key: 'debian.key.private', setting_value: 'alone' });
    source.rows('user_setting', { id: 4, user_id: 7, setting_key: 'chef.public_pem', setting_value: publicKey });
    source.package(20, 'alpine', 'tool');
    source.version(30, 20, '1.0-r0', { description: 'a tool' });
    source.file(40, 30, 'tool-1.0-r0.apk', 'apk', { composite_key: 'v3.20|main|x86_64' });
    source.property(
      'file',
      40,
      'alpine.metadata',
      '{"checksum":"Q1x=","architecture":"x86_64","dependencies":["zlib"]}',
    );
    source.package(21, 'alpine', '_alpine', { is_internal: 1 });
    source.version(31, 21, '_repository', null, { is_internal: 1 });
    source.file(41, 31, 'APKINDEX.tar.gz', 'old', { composite_key: 'v3.20|main|x86_64' });
    const lines = await take();
    expect(lines).to.include('packages.signing_keys: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('  1 skipped: its public key is missing');
    expect(lines).to.include('package-chef.keys: 1 read, 1 written, 0 unchanged, 0 removed, 0 skipped');
    expect((await get('/api/packages/ada/alpine/key')).payload).to.equal(publicKey);
    const index = await get('/api/packages/ada/alpine/v3.20/main/x86_64/APKINDEX.tar.gz');
    expect([index.statusCode, index.payload === 'old']).to.equal([200, false]);
    // when all packages of an index are gone there, it goes here
    source.run('delete from package_file where id = 40');
    source.run('delete from package_version where id = 30');
    source.run('delete from package where id = 20');
    expect(await take()).to.include('packages.files: 0 read, 0 written, 0 unchanged, 1 removed, 0 skipped');
    expect((await get('/api/packages/ada/alpine/v3.20/main/x86_64/APKINDEX.tar.gz')).statusCode).to.equal(404);
  });

  it('clean-up rules keep their patterns, and packages their links', async () => {
    source.rows('repository', { id: 5, owner_id: 7, owner_name: 'ada', name: 'tool', lower_name: 'tool', ...time });
    source.package(20, 'generic', 'linked', { repo_id: 5 });
    source.package(22, 'generic', 'lost', { repo_id: 6 });
    source.rows('package_cleanup_rule', {
      id: 9,
      enabled: 1,
      owner_id: 7,
      type: 'generic',
      keep_count: 2,
      keep_pattern: '^v1',
      remove_days: 30,
      remove_pattern: '',
      match_full_name: 1,
    });
    await take();
    const linked = await host.database.knex()('package').orderBy('id').pluck('repository_id');
    expect(linked).to.equal([5, 0]);
    const rule = await host.database.knex()('package_clean_up_rule').where('id', 9).first();
    expect([rule.keep_count, rule.keep_pattern, rule.remove_days]).to.equal([2, '^v1', 30]);
  });
});
