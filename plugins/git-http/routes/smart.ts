/** Addresses that git speaks to (gitprotocol-http), with and without `.git`. */
import type { Readable } from 'node:stream';
import {
  BadRequest,
  defineRoute,
  Forbidden,
  reply,
  type Access,
  type PointReader,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
  type UnknownAddress,
  type WebPage,
} from '@mortise/plugin-sdk';
import type {
  GitCreation,
  GitMoved,
  GitService,
  GitTransfers,
  GitSession,
  GitSessions,
} from '@mortise/git-transport/api';
import { readShort, shortBody, unpacked } from '../services/body.js';

/** Who may is decided by the session: it differs by service, and for what is not there. */
const access: Access = { actor: 'anyone' };
const base = '/{owner}/{repo}';
const flush = '0000';

interface SmartDeps {
  readonly gitSessions: GitSessions;
  readonly transfers: GitTransfers;
  readonly site: Site;
  readonly isOff: boolean;
  /** Whoever answers at addresses that have no route. */
  readonly others: PointReader<UnknownAddress>;
}

/** Nothing that git is told may be kept by caches. */
function fresh(body: Buffer | Readable, type: string): Reply {
  return reply
    .bytes(body, type)
    .header('cache-control', 'no-cache, max-age=0, must-revalidate')
    .header('pragma', 'no-cache')
    .header('expires', 'Fri, 01 Jan 1980 00:00:00 GMT');
}

/** The first packet of an advertisement over HTTP. */
function preamble(service: GitService): Buffer {
  const text = `# service=git-${service}\n`;
  return Buffer.from(`${(text.length + 4).toString(16).padStart(4, '0')}${text}${flush}`);
}

export const smartRoutes = ({ gitSessions, transfers, site, isOff, others }: SmartDeps): readonly Route[] => {
  const open = (context: RouteContext, service: GitService): Promise<GitSession | GitCreation | GitMoved> => {
    if (isOff) throw Forbidden('Git over HTTP is disabled on this site.');
    const { owner, repo } = context.params as { owner: string; repo: string };
    return gitSessions.open({ actor: context.actor, owner, repo, service });
  };
  /** `permanent`: 308 for a POST, which clients repeat as a GET where it gets 301 (RFC 9110 15.4.2). */
  const elsewhere = ({ owner, name, kind, ownerMoved }: GitMoved, rest: string, permanent: 301 | 308): Reply => {
    const path = `/${encodeURIComponent(owner)}/${encodeURIComponent(name)}${kind === 'wiki' ? '.wiki' : ''}.git/${rest}`;
    return reply.redirect(site.path(path), ownerMoved ? 307 : permanent);
  };

  /** `info/refs` may be a folder of the repository, too: what asks for no service may be meant for another plugin. */
  const notGit = async (context: RouteContext): Promise<Reply | WebPage> => {
    const { owner = '', repo = '' } = context.params as { owner?: string; repo?: string };
    const path = `/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/info/refs`;
    const query = context.query as Record<string, string | undefined>;
    for (const other of others.list()) {
      const page = await other.answer({ actor: context.actor, path, query });
      if (page) return page;
    }
    throw BadRequest('Only the smart HTTP protocol is supported. Update Git.');
  };

  return [
    defineRoute({
      method: 'GET',
      path: `${base}/info/refs`,
      surface: 'protocol',
      access,
      handler: async (context) => {
        const asked = (context.query as { service?: unknown }).service;
        const service = /^git-(upload-pack|receive-pack)$/.exec(typeof asked === 'string' ? asked : '')?.[1] as
          | GitService
          | undefined;
        if (!service) return notGit(context);
        const gitSession = await open(context, service);
        if (gitSession.found === 'moved') return elsewhere(gitSession, `info/refs?service=git-${service}`, 301);
        const told = await transfers.advertise(gitSession, service, context.headers['git-protocol']);
        return fresh(Buffer.concat([preamble(service), told]), `application/x-git-${service}-advertisement`);
      },
    }),
    ...(['upload-pack', 'receive-pack', 'upload-archive'] as const).map((service) =>
      defineRoute({
        method: 'POST',
        path: `${base}/git-${service}`,
        surface: 'protocol',
        access,
        payload: { as: 'stream', maxBytes: 0 },
        handler: async (context) => {
          // an archive is for whoever may fetch
          const gitSession = await open(context, service === 'receive-pack' ? service : 'upload-pack');
          if (gitSession.found === 'moved') return elsewhere(gitSession, `git-${service}`, 308);
          if (context.headers['content-type'] !== `application/x-git-${service}-request`)
            throw BadRequest('Unexpected content type.');
          const body = await unpacked(context.payload as Readable, context.headers['content-encoding']);
          const protocol = context.headers['git-protocol'];
          const type = `application/x-git-${service}-result`;
          if (service === 'receive-pack')
            return fresh(
              (await transfers.receivePack(gitSession, { input: body, protocol, source: 'http' })).output,
              type,
            );
          if (gitSession.found === 'missing') throw BadRequest('The repository does not exist.');
          if (service === 'upload-archive')
            return fresh((await transfers.uploadArchive(gitSession, { input: body })).output, type);
          const length = Number(context.headers['content-length'] ?? Number.NaN);
          const input = length <= shortBody ? await readShort(body) : body;
          const answer = await transfers.uploadPack(gitSession, { input, protocol, stateless: true });
          return fresh(Buffer.isBuffer(answer) ? answer : answer.output, type);
        },
      }),
    ),
  ];
};
