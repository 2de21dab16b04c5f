import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRequest, type PackageStore } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { type, type Channels } from './services/channels.js';

const platform = '/{channel*}/{subdir}';

/** Channels of packages (reference: 10.9). */
export function condaFormat(channels: Channels, store: PackageStore): PackageFormat {
  const repodata = async ({ owner, params }: PackageRequest) => {
    const { content, tag } = await channels.repodata(owner, params.channel!, params.subdir!);
    return reply.bytes(content, 'application/json; charset=utf-8').tag(tag);
  };
  const packed = async ({ owner, params }: PackageRequest) => {
    const { content, tag } = await channels.packedRepodata(owner, params.channel!, params.subdir!);
    return reply.bytes(content, 'application/x-bzip2').tag(tag);
  };
  return {
    key: type,
    label: 'Conda',
    takeover: async () => (await import('./takeover/conda.js')).condaTakeover,
    order: 170,
    routes: [
      {
        method: 'GET',
        path: `${platform}/repodata.json`,
        needs: 'read',
        summary: 'The packages of a channel for a platform',
        handler: repodata,
      },
      { method: 'GET', path: `${platform}/current_repodata.json`, needs: 'read', handler: repodata },
      { method: 'GET', path: `${platform}/repodata.json.bz2`, needs: 'read', handler: packed },
      { method: 'GET', path: `${platform}/current_repodata.json.bz2`, needs: 'read', handler: packed },
      {
        method: 'GET',
        path: `${platform}/{file}`,
        needs: 'read',
        summary: 'Download a package',
        handler: async (request) => {
          const { channel, subdir, file } = request.params;
          return store.download(await channels.file(request.owner, channel!, subdir!, file!), request);
        },
      },
      definePackageRoute({
        method: 'PUT',
        path: '/{channel*}/{file}',
        needs: 'write',
        body: 'stream',
        summary: 'Publish a package to a channel',
        handler: async ({ owner, actor, params, body, contentLength }) => {
          await channels.publish(owner, actor, params.channel!, params.file!, body, contentLength);
          return reply.empty(201);
        },
      }),
    ],
    error: (problem) => reply.json({ reason: problem.message, message: problem.message }, problem.status),
    instructions: Instructions,
    about: About,
  };
}
