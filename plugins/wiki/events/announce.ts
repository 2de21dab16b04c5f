import type { AnnouncementKind, AnnouncementModels, Announcements } from '@mortise/announcements/api';
import { isZeroOid, type RefsUpdated } from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';
import { nameOfFile } from '../services/names.js';
import { t } from '../texts/index.js';
import type { WikiReader } from '../services/reader.js';
import type { WikiFact } from '../services/writer.js';

interface WikiData {
  readonly comment: string;
}

export interface KindParts {
  readonly models: AnnouncementModels;
  readonly repositories: Repositories;
}

export const wikiKind = ({ models, repositories }: KindParts): AnnouncementKind<WikiData> => ({
  key: 'wiki',
  label: t.later('tab'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 60,
  async describe(one) {
    const { actor, repository, home } = await models.names(one);
    const { title } = one.resource;
    const gone = one.action === 'deleted';
    return {
      title: t.later(`event.${one.action as WikiFact['action']}`, { actor, repository, page: title }),
      url: gone ? `${home}/wiki` : `${home}/wiki/${encodeURIComponent(title)}`,
      tone: gone ? 'negative' : one.action === 'created' ? 'positive' : 'neutral',
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await repositories.byId(resource.repositoryId ?? 0);
    if (!repository) return undefined;
    return {
      action,
      repository: await models.repository(repository),
      sender: await models.user(actorId, repository.ownerId),
      page: resource.title,
      comment: data.comment,
    };
  },
});

/** Pages of one push that are announced. */
const maxPages = 50;

/** Every change of a page on the wiki's branch, whether it came from the API, a page or a push (HOK-28). */
export async function announceWiki(
  updated: RefsUpdated,
  { announcements, reader }: { readonly announcements: Announcements; readonly reader: WikiReader },
): Promise<void> {
  if (updated.kind !== 'wiki') return;
  const { repositoryId, pusherId: actorId, at } = updated;
  const commit = updated.updates.find((update) => !isZeroOid(update.new))?.new ?? '';
  const facts = await factsOf(updated, reader);
  await announcements.announce(
    facts.map(({ action, page, comment }) => ({
      id: `wiki:${repositoryId}:${at}:${commit.slice(0, 12)}:${action}:${page}`.slice(0, 191),
      kind: 'wiki',
      action,
      resource: { id: 0, title: page, repositoryId, unit: 'wiki' },
      actorId,
      at,
      data: { comment },
    })),
  );
}

const actions: Readonly<Record<string, WikiFact['action']>> = {
  added: 'created',
  copied: 'created',
  deleted: 'deleted',
};

async function factsOf(updated: RefsUpdated, reader: WikiReader): Promise<WikiFact[]> {
  const known = updated.facts?.wiki as WikiFact | undefined;
  if (known) return [known];
  const { branch } = await reader.head(updated.repositoryId);
  const update = updated.updates.find((one) => one.ref === `refs/heads/${branch}`);
  const git = reader.open(updated.repositoryId);
  // By now another push may have thrown the commits away
  if (!update || isZeroOid(update.new) || !(await git.info(update.new))) return [];
  const before = isZeroOid(update.old) || !(await git.info(update.old)) ? undefined : update.old;
  const comment = (await git.commit(update.new)).message.trim();
  return (await git.changes(before, update.new, { stats: false }))
    .flatMap((change): WikiFact[] => {
      const page = nameOfFile(change.path);
      const left = change.status === 'renamed' ? nameOfFile(change.oldPath ?? '') : undefined;
      if (page) return [{ action: actions[change.status] ?? 'edited', page, comment }];
      return left ? [{ action: 'deleted', page: left, comment }] : [];
    })
    .slice(0, maxPages);
}
