import type { Cache, MemoryCache } from '@mortise/plugin-sdk';
import type { GitReader, GitRepository } from '@mortise/git/api';
import { limits, parseWorkflow, type ParsedWorkflow } from '../../workflow/index.js';

/** A file of the folder of workflows. */
export interface WorkflowFile {
  /** Path below the folder: what workflows are known by. */
  readonly id: string;
  readonly path: string;
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

/** Folders of more files than this are cut: nobody keeps so many workflows. */
const maxFiles = 500;

/** Reads workflows out of commits; what was read once is kept. */
export class WorkflowFiles {
  readonly #lists: MemoryCache<readonly WorkflowFile[]>;
  readonly #parsed: MemoryCache<ParsedWorkflow>;

  constructor(
    private readonly gitReader: GitReader,
    cache: Cache,
  ) {
    this.#lists = cache.memory('actions.workflow-lists', { max: 2000 });
    this.#parsed = cache.memory('actions.workflows', { maxSize: 16 << 20 });
  }

  /** Those of the first of the folders that the commit has; none of them: no file. */
  async list(repositoryId: number, commit: string, folders: readonly string[]): Promise<readonly WorkflowFile[]> {
    if (!commit) return [];
    return this.#lists.load(`${repositoryId} ${commit} ${folders.join(' ')}`, () =>
      this.#read(this.gitReader.open(repositoryId), commit, folders),
    );
  }

  async #read(git: GitRepository, commit: string, folders: readonly string[]): Promise<readonly WorkflowFile[]> {
    for (const folder of folders) {
      const entry = await git.entry(commit, folder);
      if (entry?.type !== 'tree') continue;
      const { entries } = await git.treeRecursive(commit, { path: folder, limit: maxFiles });
      return entries
        .filter(({ type, mode, path }) => type === 'blob' && mode !== '120000' && /\.ya?ml$/.test(path))
        .map(({ path, oid, size = 0 }) => {
          const whole = path.startsWith(`${folder}/`) ? path : `${folder}/${path}`;
          return { id: whole.slice(folder.length + 1), path: whole, oid, size };
        });
    }
    return [];
  }

  async find(
    repositoryId: number,
    commit: string,
    folders: readonly string[],
    id: string,
  ): Promise<WorkflowFile | undefined> {
    return (await this.list(repositoryId, commit, folders)).find((file) => file.id === id);
  }

  /** What the file says; one that is too large has a problem. */
  async parse(repositoryId: number, file: Pick<WorkflowFile, 'id' | 'path' | 'oid' | 'size'>): Promise<ParsedWorkflow> {
    if (file.size > limits.fileBytes)
      return {
        problems: [
          { file: file.path, line: 1, column: 1, severity: 'error', message: 'the file is larger than 1 MiB' },
        ],
      };
    return this.#parsed.load(
      `${file.oid} ${file.path}`,
      async () => parseWorkflow(await this.content(repositoryId, file.oid), file.path),
      { size: () => file.size * 4 + 1000 },
    );
  }

  content(repositoryId: number, oid: string): Promise<Buffer> {
    return this.gitReader.open(repositoryId).blob(oid, limits.fileBytes);
  }
}
