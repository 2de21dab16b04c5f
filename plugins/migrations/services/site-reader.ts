import { type Actor, type CommandContext, type Logger } from '@mortise/plugin-sdk';
import type { Attachment, Attachments } from '@mortise/attachments/api';
import { releaseAssetOwner } from '@mortise/releases/api';
import type { Repository } from '@mortise/repositories/api';
import { SourceFailure, type SourceClient, type SourceReader } from '../contract/source.js';
import type { SourceRelease } from '../contract/records.js';
import { recordKindsOf, type DumpUnit } from '../dump/units.js';
import { sourceMemory } from './source-memory.js';
import { giteaReader } from '../sources/gitea.js';

/** No host: requests go to this process itself. */
const siteAddress = 'http://site.invalid';

const notHere = () => Promise.reject(new Error('a repository of this site is read by its API alone'));

/** The API of this site, asked in this process. */
const siteClient = (request: CommandContext['request'], actor: Actor): SourceClient => ({
  async json<T>(url: string, { okStatuses = [] }: { readonly okStatuses?: readonly number[] } = {}) {
    const path = url.slice(siteAddress.length);
    const { status, headers, body } = await request(actor, path);
    const isOk = (status >= 200 && status < 300) || okStatuses.includes(status);
    if (!isOk) throw new SourceFailure('invalidData', `This site answered ${path} with status ${status}.`);
    return { status, headers, data: JSON.parse(body.toString('utf8')) as T };
  },
  text: notHere,
  read: notHere,
  fetch: notHere,
});

/** A repository of this very site, as another site would read it by the API. */
export async function siteReader(
  repository: Repository,
  units: ReadonlySet<DumpUnit>,
  {
    request,
    actor,
    attachments,
    ...tools
  }: {
    readonly request: CommandContext['request'];
    /** Who sees all of it. */
    readonly actor: Actor;
    readonly attachments: Attachments;
    readonly log: Logger;
    readonly signal: AbortSignal;
  },
): Promise<SourceReader> {
  const address = `${siteAddress}/${repository.ownerName}/${repository.name}.git`;
  const reader = await giteaReader(
    { address, values: {}, kinds: recordKindsOf(units) },
    { ...tools, client: siteClient(request, actor), memory: sourceMemory() },
    true,
  );
  const withContents = (release: SourceRelease, files: ReadonlyMap<string, Attachment>): SourceRelease => ({
    ...release,
    assets: release.assets
      // those that lie elsewhere have no content here
      .filter(({ id }) => files.get(id)?.externalUrl === '')
      .map((asset) => ({
        ...asset,
        // from the store: an answer would be held in memory
        read: async (take) => take(await attachments.content(files.get(asset.id)!)),
      })),
  });
  return {
    ...reader,
    repository: () => reader.repository(),
    async *releases(after?: string) {
      for await (const page of reader.releases!(after)) {
        const { kind } = releaseAssetOwner(repository.id, 0);
        const lists = await attachments.list(
          kind,
          page.items.map(({ id }) => Number(id)),
        );
        const files = new Map([...lists.values()].flat().map((one) => [String(one.id), one]));
        yield { ...page, items: page.items.map((release) => withContents(release, files)) };
      }
    },
  };
}
