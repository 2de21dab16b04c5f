import { Problem } from '@mortise/plugin-sdk';
import { releaseAssetOwner } from '@mortise/releases/api';
import { SourceFailure, type SourceFailureReason } from '../contract/source.js';
import type { SourceAsset, SourceRelease } from '../contract/records.js';
import { releaseShape } from '../services/record-shape.js';
import { cleanBranch, cleanLine, cleanList, cleanText, cleanTime } from '../services/sanitize.js';
import type { ImportStepKind, StepContext } from './step.js';

const maxAssets = 1000;
const maxTag = 190;
/** In place of an id. */
const leftOut = 0;
const laterReasons: ReadonlySet<SourceFailureReason> = new Set(['limited', 'unreachable', 'unauthorized']);

const tagOf = ({ tagName }: SourceRelease): string => {
  const name = cleanBranch(tagName);
  return name.length <= maxTag ? name : '';
};
/** Tags are no keys: a source may have several drafts of one, and drafts without any. */
const keyOf = (release: SourceRelease): string => cleanLine(release.id) || tagOf(release);
/** For notes. */
const nameOf = ({ title, id }: SourceRelease): string => cleanLine(title, 100) || cleanLine(id, 100);

/** Files lie in the storage before their rows are there; what a kill leaves in between is written anew. */
async function addAsset(
  { deps, options, store, authors, note }: StepContext,
  release: SourceRelease,
  releaseId: number,
  asset: SourceAsset,
): Promise<void> {
  const { repository, signal } = options;
  const key = `${tagOf(release)}/${cleanLine(asset.id)}`;
  if ((await store.find(repository.id, 'asset', [key])).size) return;
  const name = cleanLine(asset.name).replaceAll('/', '-') || 'file';
  const owner = releaseAssetOwner(repository.id, releaseId);
  const { accountId } = authors.of(release.author);
  try {
    await asset.read(
      (content) =>
        deps.attachments.upload(owner, name, content, accountId, {
          createdAt: cleanTime(asset.createdAt, Date.now()),
          async within({ id }) {
            await options.check?.();
            await store.record(repository.id, [{ kind: 'asset', key, localId: id }]);
          },
        }),
      signal,
    );
  } catch (error) {
    // the source may give it later: nothing is left out for that
    if (SourceFailure.is(error) && laterReasons.has(error.reason)) throw error;
    // of a type or size that this site does not take, or that the source does not give
    if (!Problem.is(error) || !['bad_request', 'invalid', 'too_large'].includes(error.code)) throw error;
    note(`${tagOf(release)}: ${name}: ${error.message}`);
  }
}

export const releaseStep: ImportStepKind<SourceRelease> = {
  step: 'releases',
  kinds: ['releases'],
  maxItems: 5000,
  itemKind: 'release',
  shape: releaseShape,
  pages: (reader, _context, after) => reader.releases?.(after),
  keyOf,
  async prepare(all, context) {
    const { deps, options, authors } = context;
    const { id } = options.repository;
    const git = deps.gitReader.open(id);
    const now = Date.now();
    const [items, without] = [all.filter(tagOf), all.filter((release) => !tagOf(release))];
    // of several with one tag the one that was published stays
    items.sort((a, b) => Number(a.isDraft === true) - Number(b.isDraft === true));
    for (const release of without)
      context.note(`${nameOf(release)}: left out, because it has no tag of ${maxTag} characters at most`);
    await authors.load(items.map(({ author }) => author));
    const releases = await Promise.all(
      items.map(async (release) => {
        const { accountId: authorId, originalAuthor } = authors.of(release.author);
        const tagName = tagOf(release);
        const isDraft = release.isDraft === true || (await git.tag(tagName)) === undefined;
        if (isDraft && release.isDraft !== true) context.note(`${tagName}: a draft, because its tag is not there`);
        const createdAt = cleanTime(release.createdAt, now);
        return {
          authorId,
          originalAuthor,
          tagName,
          target: cleanLine(release.target),
          title: cleanLine(release.title),
          note: cleanText(release.note),
          isDraft,
          isPrerelease: release.isPrerelease === true,
          createdAt,
          publishedAt: isDraft ? 0 : cleanTime(release.publishedAt, createdAt),
        };
      }),
    );
    return {
      async write() {
        const ids = await deps.releaseImports.releases(id, releases);
        for (const [at, release] of items.entries())
          if (ids[at] === undefined)
            context.note(`${nameOf(release)}: left out, because there is another release of ${tagOf(release)}`);
        // those that were left out are not looked at again
        return [
          ...items.map(
            (release, at) => ({ kind: 'release', key: keyOf(release), localId: ids[at] ?? leftOut }) as const,
          ),
          ...without.map((release) => ({ kind: 'release', key: keyOf(release), localId: leftOut }) as const),
        ];
      },
    };
  },
  /** Also of releases that were written before a kill. */
  async afterPage(items, context) {
    const ids = await context.store.find(context.options.repository.id, 'release', items.map(keyOf).filter(Boolean));
    for (const release of items)
      for (const asset of cleanList(release.assets, maxAssets)) {
        const releaseId = ids.get(keyOf(release));
        if (releaseId) await addAsset(context, release, releaseId, asset);
      }
  },
};
