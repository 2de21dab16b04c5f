import { Problem } from '@mortise/plugin-sdk';
import { releaseAssetOwner } from '@mortise/releases/api';
import { SourceFailure, type SourceAsset, type SourceFailureReason, type SourceRelease } from '../api.js';
import { cleanBranch, cleanLine, cleanList, cleanText, cleanTime } from '../services/sanitize.js';
import type { ImportStepKind, StepContext } from './step.js';

const maxAssets = 1000;
const maxTag = 190;
const laterReasons: ReadonlySet<SourceFailureReason> = new Set(['limited', 'unreachable', 'unauthorized']);

const tagOf = ({ tagName }: SourceRelease): string => {
  const name = cleanBranch(tagName);
  return name.length <= maxTag ? name : '';
};

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
  pages: (reader, _context, after) => reader.releases?.(after),
  keyOf: tagOf,
  async prepare(items, context) {
    const { deps, options, authors } = context;
    const { id } = options.repository;
    const git = deps.gitReader.open(id);
    const now = Date.now();
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
        return releases.map(({ tagName }, at) => ({ kind: 'release', key: tagName, localId: ids[at]! }));
      },
    };
  },
  /** Also of releases that were written before a kill. */
  async afterPage(items, context) {
    const ids = await context.store.find(context.options.repository.id, 'release', items.map(tagOf).filter(Boolean));
    for (const release of items)
      for (const asset of cleanList(release.assets, maxAssets)) {
        const releaseId = ids.get(tagOf(release));
        if (releaseId !== undefined) await addAsset(context, release, releaseId, asset);
      }
  },
};
