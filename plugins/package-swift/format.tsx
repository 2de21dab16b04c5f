import { BadRequest, Problem, reply, Unauthorized, type Reply } from '@mortise/plugin-sdk';
import {
  definePackageRoute,
  type PackageFormat,
  type PackageRequest,
  type PackageRoute,
  type PackageStore,
} from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { toolsVersionOf } from './services/manifests.js';
import { shownMetadata } from './services/metadata.js';
import { storedOf, latestOf, signatureFormat, type, type Releases } from './services/releases.js';

type Kind = 'json' | 'swift' | 'zip';
const media = 'application/vnd.swift.registry';

/** Clients say which version of the protocol they speak; none and any are this one. */
function checkAccept(accept: string | undefined, kind: Kind): void {
  const given = (accept ?? '').split(',').map((one) => one.replace(/;.*/s, '').trim().toLowerCase());
  const taken = ['', '*/*', media, `${media}+${kind}`, `${media}.v1`, `${media}.v1+${kind}`];
  if (given.some((one) => taken.includes(one))) return;
  const other = given.find((one) => /^application\/vnd\.swift\.registry\.v(?!1(?:\+|$))/.test(one));
  if (other) throw new Problem('unsupported_media_type', 'This version of the protocol is not spoken here.');
  throw BadRequest(`The Accept header must be ${media}.v1+${kind}.`);
}

const challenge = { headers: { 'www-authenticate': 'Basic realm="Mortise Package API"' } };
const speaking = (answer: Reply): Reply => answer.header('content-version', '1');

/** A route whose answers say which version of the protocol they are of. */
const spoken =
  (kind: Kind | undefined, handler: (request: PackageRequest) => Promise<Reply> | Reply) =>
  async (request: PackageRequest): Promise<Reply> => {
    if (kind) checkAccept(request.headers.accept, kind);
    return speaking(await handler(request));
  };

const packageUrl = (baseUrl: string, scope: string, name: string) => `${baseUrl}/${scope}/${name}`;
/** `acme.Tool` as it is stored: neither part has a point. */
const partsOf = (id: string) => id.split('.') as [string, string];

const signIn = spoken(undefined, ({ actor }) => {
  if (actor.kind !== 'user') throw Unauthorized('Authentication required.', challenge);
  return reply.text('');
});

const listReleases = (releases: Releases) =>
  spoken('json', async ({ owner, params, baseUrl }) => {
    const package_ = await releases.need(owner, params.scope!, params.name!.replace(/\.json$/i, ''));
    const versions = await releases.versions(package_);
    const at = packageUrl(baseUrl, ...partsOf(package_.name));
    return reply
      .json({ releases: Object.fromEntries([...versions].reverse().map((one) => [one, { url: `${at}/${one}` }])) })
      .header('link', `<${at}/${latestOf(versions)}>; rel="latest-version"`);
  });

const getRelease = (releases: Releases) =>
  spoken('json', async ({ owner, params, baseUrl }) => {
    const release = await releases.needRelease(owner, { ...params, version: params.version!.replace(/\.json$/i, '') });
    const { version, package_ } = release;
    const { sha256 } = await releases.file(release);
    const { metadata, signature } = storedOf(version);
    const versions = await releases.versions(package_);
    const at = packageUrl(baseUrl, ...partsOf(package_.name));
    const place = versions.indexOf(version.version);
    const links = [
      [latestOf(versions), 'latest-version'],
      [versions[place - 1], 'predecessor-version'],
      [versions[place + 1], 'successor-version'],
    ] as const;
    return reply
      .json({
        id: `${params.scope}.${params.name}`,
        version: version.version,
        resources: [
          {
            name: 'source-archive',
            type: 'application/zip',
            checksum: sha256,
            ...(signature && {
              signing: { signatureBase64Encoded: signature, signatureFormat },
            }),
          },
        ],
        metadata: shownMetadata(partsOf(package_.name)[1], version.version, metadata),
        publishedAt: new Date(version.createdAt).toISOString(),
      })
      .header('link', links.flatMap(([one, rel]) => (one ? [`<${at}/${one}>; rel="${rel}"`] : [])).join(', '));
  });

const getManifest = (releases: Releases) =>
  spoken('swift', async ({ owner, params, query, baseUrl }) => {
    const release = await releases.needRelease(owner, params);
    const wanted = query['swift-version'] ?? '';
    if (wanted && !/^\d{1,4}(?:\.\d{1,4}){0,2}$/.test(wanted)) throw BadRequest('The version of Swift is invalid.');
    const one = await releases.manifest(release, wanted);
    const at = `${packageUrl(baseUrl, ...partsOf(release.package_.name))}/${release.version.version}/Package.swift`;
    if (!one) return reply.redirect(at, 303);
    const fileName = one.swiftVersion ? `Package@swift-${one.swiftVersion}.swift` : 'Package.swift';
    const answer = reply
      .bytes(Buffer.from(one.text), 'text/x-swift')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .header('cache-control', 'private, max-age=0, must-revalidate');
    const alternates = Object.entries(storedOf(release.version).variants).map(
      ([version, tools]) =>
        `<${at}?swift-version=${version}>; rel="alternate"; filename="Package@swift-${version}.swift"${tools && `; swift-tools-version="${tools}"`}`,
    );
    if (one.swiftVersion === '' && alternates.length > 0) answer.header('link', alternates.join(', '));
    return toolsVersionOf(one.text) ? answer.header('swift-tools-version', toolsVersionOf(one.text)!) : answer;
  });

const getArchive =
  (releases: Releases, store: PackageStore) =>
  async (request: PackageRequest): Promise<Reply> => {
    checkAccept(request.headers.accept, 'zip');
    const release = await releases.needRelease(request.owner, request.params);
    const file = await releases.file(release);
    // clients follow redirects, but the signature and the digest are in the headers of this answer
    const answer = await store.download(file, request, { type: 'application/zip', noRedirect: true });
    const { signature } = storedOf(release.version);
    if (signature)
      answer.header('x-swift-package-signature-format', signatureFormat).header('x-swift-package-signature', signature);
    return speaking(answer.header('digest', `sha-256=${Buffer.from(file.sha256, 'hex').toString('base64')}`));
  };

const findIdentifiers = (releases: Releases) =>
  spoken('json', async ({ owner, query }) => {
    if (!query.url) throw BadRequest('The address has no url.');
    return reply.json({ identifiers: await releases.identifiers(owner, query.url) });
  });

const get = (path: string, id: string, summary: string, handler: PackageRoute['handler']): PackageRoute => ({
  method: 'GET',
  path,
  needs: 'read',
  id,
  summary,
  handler,
});

const publishRelease = (releases: Releases): PackageRoute =>
  definePackageRoute({
    method: 'PUT',
    path: '/{scope}/{name}/{version}',
    needs: 'write',
    body: 'form',
    fileFields: ['source-archive', 'source-archive-signature', 'metadata-signature'],
    id: 'swiftPublish',
    summary: 'Publish a release',
    handler: async ({ owner, actor, params, headers, body, baseUrl }) => {
      checkAccept(headers.accept, 'json');
      const format = headers['x-swift-package-signature-format'];
      const version = await releases.publish(owner, actor, params, body, format);
      const at = packageUrl(baseUrl, params.scope!, params.name!);
      return speaking(reply.empty(201).header('location', `${at}/${version}`));
    },
  });

/** The registry of SwiftPM (reference: 6). */
export function swiftFormat(releases: Releases, store: PackageStore): PackageFormat {
  return {
    key: type,
    label: 'Swift',
    takeover: async () => (await import('./takeover/swift.js')).swiftTakeover,
    order: 43,
    routes: [
      ...['/', '/login'].map((path, at): PackageRoute => ({
        method: 'POST',
        path,
        needs: 'none',
        body: 'none',
        id: at === 0 ? 'swiftSignInAtRoot' : 'swiftSignIn',
        summary: 'Check credentials',
        handler: signIn,
      })),
      get('/identifiers', 'swiftIdentifiers', 'Packages that come from a repository', findIdentifiers(releases)),
      get(
        '/{scope}/{name}/{version}/Package.swift',
        'swiftManifest',
        'The manifest of a release',
        getManifest(releases),
      ),
      get(
        '/{scope}/{name}/{version}.zip',
        'swiftArchive',
        'The source archive of a release',
        getArchive(releases, store),
      ),
      get('/{scope}/{name}/{version}', 'swiftRelease', 'A release', getRelease(releases)),
      get('/{scope}/{name}', 'swiftReleases', 'Releases of a package', listReleases(releases)),
      publishRelease(releases),
    ],
    error: (problem) =>
      speaking(
        reply
          .json({ status: problem.status, detail: problem.message }, problem.status)
          .type('application/problem+json'),
      ),
    instructions: Instructions,
    about: About,
  };
}
