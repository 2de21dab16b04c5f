// Registries of several formats as tests of many uploads use them: one package of many versions each.
//
//   put(version)   uploads a version; gives whether it is there: made by this upload, or by one of before
//   versions()     what the index has, each looked at: what it leads to is there, whole and as it was uploaded
import { createHash } from 'node:crypto';
import { ar, tgz } from '@mortise/packages/testing';

const digest = (algorithm, bytes, form = 'hex') => createHash(algorithm).update(bytes).digest(form);
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** What goes wrong is thrown with where it went wrong. */
function demand(isRight, what) {
  if (!isRight) throw new Error(what);
}

/** `call(method, path, { body, type })` asks the server as the owner; gives { status, bytes }. */
export function registriesOf(call, { owner = 'root', name = 'crowd' } = {}) {
  const read = async (path) => {
    const { status, bytes } = await call('GET', path);
    demand(status === 200, `GET ${path} is ${status}`);
    return bytes;
  };
  const readText = async (path) => (await read(path)).toString();
  const isThere = ({ status }) => status === 200 || status === 201 || status === 409;
  /** None yet. */
  const orNothing = (error) => {
    if (/ is 404$/.test(error.message)) return undefined;
    throw error;
  };

  const npm = {
    at: `/api/packages/${owner}/npm/${name}`,
    data: (version) => tgz({ 'package/package.json': JSON.stringify({ name, version }) }),
    async put(version) {
      const data = npm.data(version);
      const dist = { shasum: digest('sha1', data), integrity: `sha512-${digest('sha512', data, 'base64')}` };
      const body = {
        _id: name,
        name,
        'dist-tags': { latest: version },
        versions: { [version]: { name, version, dist } },
        _attachments: { [`${name}-${version}.tgz`]: { data: data.toString('base64'), length: data.length } },
      };
      return isThere(await call('PUT', npm.at, { body: Buffer.from(JSON.stringify(body)), type: 'application/json' }));
    },
    async versions() {
      const text = await readText(npm.at).catch(orNothing);
      const packument = JSON.parse(text ?? '{"versions":{}}');
      for (const [version, { dist }] of Object.entries(packument.versions)) {
        const tarball = await read(new URL(dist.tarball).pathname);
        demand(tarball.equals(npm.data(version)), `npm: the content of ${version} is another`);
      }
      return Object.keys(packument.versions);
    },
  };

  const debian = {
    at: `/api/packages/${owner}/debian`,
    data: (version) =>
      ar({
        'debian-binary': '2.0\n',
        'control.tar.gz': tgz({
          './control': `Package: ${name}\nVersion: ${version}\nArchitecture: all\nMaintainer: A <a@b.c>\nDescription: many\n`,
        }),
        'data.tar.gz': tgz({}),
      }),
    put: async (version) =>
      isThere(await call('PUT', `${debian.at}/pool/${name}/main/upload`, { body: debian.data(version) })),
    async versions() {
      const release = await readText(`${debian.at}/dists/${name}/Release`).catch(orNothing);
      if (release === undefined) return [];
      const [, sums] = release.split('SHA256:\n');
      const [, sum] = /^ ([0-9a-f]{64}) \d+ main\/binary-all\/Packages$/m.exec(sums);
      // the very index of this Release, whatever was uploaded since
      const text = await readText(`${debian.at}/dists/${name}/main/binary-all/by-hash/SHA256/${sum}`);
      const found = [];
      for (const stanza of text.split('\n\n').filter(Boolean)) {
        const [, version] = /^Version: (.*)$/m.exec(stanza);
        const [, path] = /^Filename: (.*)$/m.exec(stanza);
        const data = await read(`${debian.at}/${path}`);
        demand(stanza.includes(`\nSHA256: ${digest('sha256', data)}`), `debian: ${version} has another sum`);
        demand(data.equals(debian.data(version)), `debian: the content of ${version} is another`);
        found.push(version);
      }
      return found;
    },
  };

  const cargo = {
    at: `/api/packages/${owner}/cargo`,
    data: (version) =>
      tgz({ [`${name}-${version}/Cargo.toml`]: `[package]\nname = "${name}"\nversion = "${version}"\n` }),
    async put(version) {
      const part = (bytes) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(bytes.length);
        return Buffer.concat([length, bytes]);
      };
      const description = { name, vers: version, deps: [], features: {}, authors: [] };
      const body = Buffer.concat([part(Buffer.from(JSON.stringify(description))), part(cargo.data(version))]);
      return isThere(await call('PUT', `${cargo.at}/api/v1/crates/new`, { body }));
    },
    async versions() {
      const text = await readText(`${cargo.at}/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`).catch(orNothing);
      const lines = (text ?? '').split('\n').filter(Boolean).map(JSON.parse);
      for (const { vers, cksum } of lines) {
        const data = await read(`${cargo.at}/api/v1/crates/${name}/${vers}/download`);
        demand(digest('sha256', data) === cksum, `cargo: ${vers} has another sum`);
        demand(data.equals(cargo.data(vers)), `cargo: the content of ${vers} is another`);
      }
      return lines.map(({ vers }) => vers);
    },
  };

  const container = {
    at: `/v2/${owner}/${name}`,
    blobs: (version) => [Buffer.from(JSON.stringify({ config: version })), tgz({ layer: version })],
    manifest(version) {
      const [config, layer] = container.blobs(version).map((bytes) => ({
        mediaType: 'application/vnd.oci.image.config.v1+json',
        digest: `sha256:${digest('sha256', bytes)}`,
        size: bytes.length,
      }));
      const layers = [{ ...layer, mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip' }];
      return Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config, layers }));
    },
    async put(version) {
      for (const body of container.blobs(version)) {
        const sum = `sha256:${digest('sha256', body)}`;
        if (!isThere(await call('POST', `${container.at}/blobs/uploads?digest=${sum}`, { body }))) return false;
      }
      const body = container.manifest(version);
      return isThere(await call('PUT', `${container.at}/manifests/${version}`, { body, type: manifestType }));
    },
    async versions() {
      const text = await readText(`${container.at}/tags/list?n=1000`).catch(orNothing);
      const { tags } = JSON.parse(text ?? '{"tags":[]}');
      for (const tag of tags) {
        const manifest = await read(`${container.at}/manifests/${tag}`);
        demand(manifest.equals(container.manifest(tag)), `container: the manifest of ${tag} is another`);
        for (const bytes of container.blobs(tag)) {
          const found = await read(`${container.at}/blobs/sha256:${digest('sha256', bytes)}`);
          demand(found.equals(bytes), `container: a blob of ${tag} is another`);
        }
      }
      return tags;
    },
  };

  return { npm, debian, cargo, container };
}
