import { NotFound, defineRoute, type PointReader, type Route, type RouteContext } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { AttachmentSource, Release } from '../api.js';
import { releaseOfTag } from '../services/access.js';
import { serve } from '../services/downloads.js';
import type { Room } from '../services/room.js';
import { readReleases } from './shared.js';

/** Files by uuid, and by tag and name; programs sign in here too. */
export function downloadRoutes({ reader, files }: Room, sources: PointReader<AttachmentSource>): Route[] {
  const byName = async ({ subject, raw }: RouteContext<RepositoryContext>, release: Release, name: string) => {
    const asset = await reader.assetByName(release.id, name);
    if (!asset) throw NotFound('file');
    return serve(files.served(asset, subject.repository, release), raw.request);
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/attachments/{uuid}',
      surface: 'protocol',
      access: { actor: 'anyone', scope: 'repository' },
      async handler({ actor, params, raw }) {
        if (!/^[0-9a-f-]{36}$/.test(params.uuid)) throw NotFound('file');
        for (const source of sources.list()) {
          const file = await source.find(params.uuid, actor);
          if (file) return serve(file, raw.request);
        }
        throw NotFound('file');
      },
    }),
    defineRoute<RepositoryContext>({
      method: 'GET',
      path: '/{owner}/{repo}/releases/download/{rest*}',
      surface: 'protocol',
      access: readReleases,
      async handler(context) {
        // The name of a file has no slash; that of a tag may.
        const rest: string = context.params.rest ?? '';
        const at = rest.lastIndexOf('/');
        const release = await releaseOfTag(reader, context.subject, rest.slice(0, Math.max(0, at)));
        return byName(context, release, rest.slice(at + 1));
      },
    }),
    defineRoute<RepositoryContext>({
      method: 'GET',
      path: '/{owner}/{repo}/releases/latest/download/{name}',
      surface: 'protocol',
      access: readReleases,
      async handler(context) {
        const latest = await reader.latest(context.subject.repository.id);
        if (!latest) throw NotFound('release');
        return byName(context, latest, context.params.name);
      },
    }),
  ];
}
