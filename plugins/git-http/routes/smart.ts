/** Addresses that git speaks to (gitprotocol-http), with and without `.git`. */
import type { Readable } from 'node:stream';
import { BadRequest, defineRoute, reply, Reply, type Access, type Route, type RouteContext } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import { advertise, protocolVersion, type Service } from '../services/advertise.js';
import { packet, flush } from '../services/packet-lines.js';
import type { Pushes } from '../services/push.js';
import { readShort, shortBody, unpacked, type Transfers } from '../services/transfer.js';
import type { Visits } from '../services/visit.js';

/** Who may is decided by the visit: it differs by service, and for what is not there. */
const access: Access = { actor: 'anyone' };
const base = '/{owner}/{repo}';

export interface SmartParts {
  readonly visits: Visits;
  readonly pushes: Pushes;
  readonly transfers: Transfers;
  readonly reader: GitReader;
}

/** Nothing that git is told may be kept by caches. */
function fresh(body: Buffer | Readable, type: string): Reply {
  return reply
    .bytes(body, type)
    .header('cache-control', 'no-cache, max-age=0, must-revalidate')
    .header('pragma', 'no-cache')
    .header('expires', 'Fri, 01 Jan 1980 00:00:00 GMT');
}

function place(context: RouteContext): { actor: RouteContext['actor']; owner: string; repo: string } {
  const { owner, repo } = context.params as { owner: string; repo: string };
  return { actor: context.actor, owner, repo };
}

export const smartRoutes = ({ visits, pushes, transfers, reader }: SmartParts): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: `${base}/info/refs`,
    surface: 'protocol',
    access,
    handler: async (context) => {
      const asked = (context.query as { service?: unknown }).service;
      const service = /^git-(upload-pack|receive-pack)$/.exec(typeof asked === 'string' ? asked : '')?.[1] as
        Service | undefined;
      if (!service) throw BadRequest('only the smart protocol is spoken here: update git');
      const found = await visits.open({ ...place(context), service, rest: `info/refs?service=git-${service}` });
      if (found instanceof Reply) return found;
      const type = `application/x-git-${service}-advertisement`;
      if ('name' in found) return fresh(emptyForPush, type);
      const repository = reader.open(found.context.repository.id, found.kind);
      return fresh(await advertise(repository, service, protocolVersion(context.headers['git-protocol'])), type);
    },
  }),
  ...(['upload-pack', 'receive-pack'] as const).map((service) =>
    defineRoute({
      method: 'POST',
      path: `${base}/git-${service}`,
      surface: 'protocol',
      access,
      payload: { as: 'stream', maxBytes: 0 },
      handler: async (context) => {
        const found = await visits.open({ ...place(context), service, rest: `git-${service}` });
        if (found instanceof Reply) return found;
        if (context.headers['content-type'] !== `application/x-git-${service}-request`)
          throw BadRequest('another content type is expected');
        const body = await unpacked(context.payload as Readable, context.headers['content-encoding']);
        const version = protocolVersion(context.headers['git-protocol']);
        const protocol = version ? context.headers['git-protocol'] : undefined;
        const type = `application/x-git-${service}-result`;
        if (service === 'receive-pack') return fresh(await pushes.receive(found, context.actor, body, protocol), type);
        if ('name' in found) throw BadRequest('there is nothing to fetch');
        const repository = reader.open(found.context.repository.id, found.kind);
        const length = Number(context.headers['content-length'] ?? Number.NaN);
        const asked = length <= shortBody ? await readShort(body) : body;
        return fresh(await transfers.uploadPack(repository, asked, protocol, version), type);
      },
    }),
  ),
];

/** What a repository that a push is about to make would say. */
const emptyForPush = Buffer.concat([
  packet('# service=git-receive-pack\n'),
  flush,
  packet(
    `${'0'.repeat(40)} capabilities^{}\0report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta push-options object-format=sha1 agent=mortise/1.0.0\n`,
  ),
  flush,
]);
