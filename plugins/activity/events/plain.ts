import type { Announcement, RepositoryMoved } from '@mortise/announcements/api';
import type { Activities, ActivityKind, NewActivity } from '../api.js';

type Entry = Pick<NewActivity, 'ref' | 'content'> & { readonly kind: ActivityKind };

const moved = ({ data }: Announcement) => data as Partial<RepositoryMoved>;

/** By kind and action: announcements that are an entry as they are. What is not listed is no entry. */
const entries: Readonly<Record<string, (announcement: Announcement) => Entry>> = {
  'repository.created': () => ({ kind: 'create_repo' }),
  'repository.renamed': (one) => ({ kind: 'rename_repo', content: moved(one).from?.split('/')[1] ?? '' }),
  'repository.transferred': (one) => ({ kind: 'transfer_repo', content: moved(one).from ?? '' }),
  'release.published': ({ resource }) => ({ kind: 'publish_release', ref: resource.ref, content: resource.title }),
};

/** In the transaction of what has happened. */
export async function recordPlain(
  { announcements }: { readonly announcements: readonly Announcement[] },
  { activities }: { readonly activities: Activities },
): Promise<void> {
  for (const one of announcements) {
    const entry = entries[`${one.kind}.${one.action}`]?.(one);
    if (!entry || !one.resource.repositoryId) continue;
    const { actorId, at, resource } = one;
    await activities.record({ ...entry, actorId, repositoryId: resource.repositoryId!, at });
  }
}
