import { NotFound, defineRoute, type Route, type RouteContext } from '@mortise/plugin-sdk';
import type { Attachments } from '@mortise/attachments/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { Release } from '../contract/releases.js';
import { maySee } from '../services/access.js';
import { ownerOf, viewOf } from '../services/files.js';
import type { ReleaseReader } from '../services/release-reader.js';
import { readReleases } from './route-options.js';

/** Files by tag and name; programs sign in here too. */
export function downloadRoutes({
  reader,
  attachments,
}: {
  readonly reader: ReleaseReader;
  readonly attachments: Attachments;
}): Route[] {
  const byName = async ({ resource, raw }: RouteContext<RepositoryContext>, release: Release, name: string) => {
    const file = await attachments.byName(ownerOf(release), name);
    if (!file) throw NotFound('file');
    return attachments.serve(file, viewOf(resource.repository, release), raw.request);
  };
  /** `latest` is the newest release, unless a release has that tag. */
  const releaseOf = async ({ actor, resource }: RouteContext<RepositoryContext>, tagName: string) => {
    const { id } = resource.repository;
    const tagged = tagName ? await reader.byTag(id, tagName) : undefined;
    if (tagged && maySee(resource, tagged, actor)) return tagged;
    return tagName === 'latest' ? reader.latest(id) : undefined;
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/releases/download/{rest*}',
      surface: 'protocol',
      access: readReleases,
      async handler(context) {
        // The name of a file has no slash; that of a tag may.
        const rest: string = context.params.rest ?? '';
        const at = rest.lastIndexOf('/');
        const release = await releaseOf(context, rest.slice(0, Math.max(0, at)));
        if (!release) throw NotFound('release');
        return byName(context, release, rest.slice(at + 1));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/releases/latest/download/{name}',
      surface: 'protocol',
      access: readReleases,
      async handler(context) {
        const latest = await reader.latest(context.resource.repository.id);
        if (!latest) throw NotFound('release');
        return byName(context, latest, context.params.name);
      },
    }),
  ];
}
