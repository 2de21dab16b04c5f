import { BadRequest, NotFound, TooLarge, estimatedSize, type MemoryCache, zonedTime } from '@mortise/plugin-sdk';
import { type GitReader, type GitRepository, type PathEntry } from '@mortise/git/api';
import { cleanPath, withoutCorruptObjects, lfsPointer, revisionOf, type Revision } from '@mortise/history/api';
import { submoduleUrls } from './submodules.js';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

const maxInlineBytes = 10 << 20;
/** Entries of a folder in one answer. */
const maxListed = 10_000;
const parts = ['file_content', 'lfs_metadata', 'commit_metadata', 'commit_message'] as const;
type Part = (typeof parts)[number];

export function includedParts(text: string | undefined): ReadonlySet<Part> {
  const asked = (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  const unknown = asked.find((word) => !parts.includes(word as Part));
  if (unknown) throw BadRequest(`Unknown value of includes: ${unknown}.`);
  return new Set(asked as Part[]);
}

/** Signs that may stand in a path as they are, and those that clients of the compatible service see escaped. */
const encodePart = (part: string) =>
  encodeURIComponent(part)
    .replace(/%(24|26|2B|3A|3D|40)/g, decodeURIComponent)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const encodePath = (path: string) => path.split('/').map(encodePart).join('/');

/** Without a process where the commit itself has touched the path, as after many files were written at once. */
async function lastCommit(git: GitRepository, commit: string, entry: PathEntry): Promise<string | undefined> {
  const { parents } = await git.commit(commit);
  if (parents.length < 2) {
    const before = parents[0] && (await git.entry(parents[0], entry.path));
    if (!before || before.oid !== entry.oid || before.mode !== entry.mode) return commit;
  }
  return git.lastCommit(commit, entry.path);
}

/** Reads files and folders as the REST model `ContentsResponse`; whole answers are kept by commit and path. */
export class ContentsReader {
  constructor(
    private readonly sources: { git: GitReader; repositories: Repositories; answers: MemoryCache<unknown> },
  ) {}

  /** A file (object) or a folder (list). */
  async read(
    repository: Repository,
    ref: string | undefined,
    path: string,
    included: ReadonlySet<Part>,
  ): Promise<unknown> {
    const git = this.sources.git.open(repository.id);
    const revision = await revisionOf(git, repository, ref);
    const clean = cleanPath(path);
    const key = `${repository.id}:${repository.ownerName}/${repository.name}:${revision.kind}:${revision.name}:${revision.commit}:${[...included].sort().join()}:${clean}`;
    return this.sources.answers.load(
      key,
      async () => {
        const entry = clean
          ? await git.entry(revision.commit, clean)
          : ({ type: 'tree', path: '', mode: '040000', name: '', oid: revision.commit } as PathEntry);
        if (!entry)
          throw NotFound(`object does not exist [id: , rel_path: ${clean}]`, {
            text: t.later('error.missing', { path: clean }),
          });
        if (entry.type !== 'tree') return this.#entry(repository, git, revision, entry, included, true);
        const entries = await git.tree(entry.oid);
        if (entries.length > maxListed)
          throw TooLarge(`The folder has ${entries.length} entries. Use git/trees to list it in pages.`);
        const listed = entries.map((one) => ({ ...one, path: clean ? `${clean}/${one.name}` : one.name }));
        const wantsCommit = included.has('commit_metadata') || included.has('commit_message');
        const last = wantsCommit
          ? await withoutCorruptObjects(git.lastCommits(revision.commit, clean), undefined)
          : undefined;
        return Promise.all(
          listed.map((one) => this.#entry(repository, git, revision, one, included, false, last?.get(one.name))),
        );
      },
      { size: estimatedSize },
    );
  }

  async #entry(
    repository: Repository,
    git: GitRepository,
    revision: Revision,
    entry: PathEntry,
    included: ReadonlySet<Part>,
    single: boolean,
    last?: string,
  ): Promise<Record<string, unknown>> {
    const { repositories } = this.sources;
    const wantsCommit = included.has('commit_metadata') || included.has('commit_message');
    const commitId = wantsCommit
      ? (last ?? (await withoutCorruptObjects(lastCommit(git, revision.commit, entry), undefined)) ?? revision.commit)
      : undefined;
    const commit = commitId ? await git.commit(commitId) : undefined;
    const type =
      entry.type === 'tree'
        ? 'dir'
        : entry.type === 'commit'
          ? 'submodule'
          : entry.mode === '120000'
            ? 'symlink'
            : 'file';
    const size = entry.type === 'blob' ? ((await git.info(entry.oid))?.size ?? 0) : 0;
    const api = repositories.apiUrl(repository);
    const html = repositories.htmlUrl(repository);
    const path = encodePath(entry.path);
    const self = `${api}/contents/${path}?ref=${encodeURIComponent(revision.name)}`;
    const gitUrl = type === 'submodule' ? null : `${api}/git/${type === 'dir' ? 'trees' : 'blobs'}/${entry.oid}`;
    const htmlUrl = type === 'submodule' ? null : `${html}/src/${revision.kind}/${encodePath(revision.name)}/${path}`;
    const record: Record<string, unknown> = {
      name: entry.name || entry.path.slice(entry.path.lastIndexOf('/') + 1),
      path: entry.path,
      sha: entry.oid,
      ...(commit && included.has('commit_metadata')
        ? {
            last_commit_sha: commit.oid,
            last_committer_date: zonedTime(commit.committer),
            last_author_date: zonedTime(commit.author),
          }
        : {}),
      ...(commit && included.has('commit_message') ? { last_commit_message: commit.message } : {}),
      type,
      size,
      encoding: null,
      content: null,
      target:
        type === 'symlink'
          ? ((await withoutCorruptObjects(git.blob(entry.oid, maxInlineBytes), null))?.toString('utf8') ?? null)
          : null,
      url: self,
      html_url: htmlUrl,
      git_url: gitUrl,
      download_url:
        type === 'file' || type === 'symlink'
          ? `${html}/raw/${revision.kind}/${encodePath(revision.name)}/${path}`
          : null,
      submodule_git_url:
        type === 'submodule'
          ? ((await withoutCorruptObjects(submoduleUrls(git, revision.commit), undefined))?.get(entry.path) ?? null)
          : null,
      // Folders too name their object under `blobs` here, as clients of the compatible service know it.
      _links: { self, git: gitUrl && `${api}/git/blobs/${entry.oid}`, html: htmlUrl },
    };
    if (single && type === 'file' && included.has('file_content') && size <= maxInlineBytes) {
      record.encoding = 'base64';
      record.content = (await git.blob(entry.oid, maxInlineBytes)).toString('base64');
    }
    // With the text comes what it stands for.
    const wantsPointer = included.has('lfs_metadata') || (single && included.has('file_content'));
    if (type === 'file' && wantsPointer && size < 1024) {
      const pointer = lfsPointer((await git.blob(entry.oid)).toString('utf8'));
      if (pointer) Object.assign(record, { lfs_oid: pointer.oid, lfs_size: pointer.size });
    }
    return record;
  }
}

export const everything = new Set<Part>(['file_content', 'commit_metadata']);
