import { taskActor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { isZeroOid, type RefsUpdated } from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';
import type { WebhookEvent, Webhooks } from '@mortise/webhooks/api';
import { nameOfFile } from '../services/names.js';
import { t } from '../texts/index.js';
import type { WikiReader } from '../services/reader.js';
import type { WikiFact } from '../services/writer.js';

export const wikiEvent: WebhookEvent = {
  key: 'wiki',
  label: t.later('tab'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 60,
};

/** Payloads are written as the site sees things; whoever made the hook was allowed to. */
const siteActor = taskActor('wiki');

/** Pages of one push that hooks are told of. */
const mostPages = 50;

export interface TellParts {
  readonly webhooks: Webhooks;
  readonly reader: WikiReader;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
}

/** Every change of a page on the wiki's branch is told, whether it came from the API, a page or a push (HOK-28). */
export async function tellWiki(
  updated: RefsUpdated,
  { webhooks, reader, repositories, accounts }: TellParts,
): Promise<void> {
  if (updated.kind !== 'wiki') return;
  const repository = await repositories.byId(updated.repositoryId);
  if (!repository) return;
  const commit = updated.updates.find((update) => !isZeroOid(update.new))?.new ?? '';
  for (const fact of await factsOf(updated, reader)) {
    await webhooks.announce({
      eventType: 'wiki',
      repositoryId: repository.id,
      once: `wiki:${repository.id}:${updated.at}:${commit.slice(0, 12)}:${fact.action}:${fact.page}`.slice(0, 170),
      payload: async () => {
        const account =
          (await accounts.byId(updated.pusherId)) ?? (await accounts.byId(repository.ownerId)) ?? undefined;
        return {
          action: fact.action,
          repository: (await repositories.toApi([repository], siteActor))[0],
          sender: account ? accounts.toApiUser(account, siteActor) : accounts.ghost(),
          page: fact.page,
          comment: fact.comment,
        };
      },
    });
  }
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
  // by now another push may have thrown the commits away
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
    .slice(0, mostPages);
}
