import type { Actor } from '@mortise/plugin-sdk';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  gitReader,
  gitStore,
  gitWriter,
  refUpdates,
  zeroOid,
  type GitReader,
  type GitStore,
  type GitWriter,
  type RefUpdates,
  type Signature,
  type TreeChange,
} from '../api.js';

export const ada: Actor = asActor({ id: 1, name: 'ada' });
export const by: Signature = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0100' };

/** A host with git alone, and short ways to make repositories and commits. */
export class RepositoryKit {
  readonly store: GitStore;
  readonly reader: GitReader;
  readonly writer: GitWriter;
  readonly gate: RefUpdates;
  #last = 0;

  private constructor(readonly host: TestHost) {
    const { get } = host.services;
    this.store = get(gitStore);
    this.reader = get(gitReader);
    this.writer = get(gitWriter);
    this.gate = get(refUpdates);
  }

  static async start(settings?: Parameters<typeof startHost>[0]['settings']): Promise<RepositoryKit> {
    return new RepositoryKit(await startHost({ plugins: ['git'], settings }));
  }

  /** A new repository; gives its id. */
  make = async (): Promise<number> => {
    await this.store.create(++this.#last);
    return this.#last;
  };

  /** One more commit on a branch. */
  commit = async (id: number, branch: string, changes: readonly TreeChange[], message = 'words'): Promise<string> => {
    const now = await this.reader.open(id).branch(branch);
    const tree = await this.writer.writeTree(id, now?.oid, changes);
    const parents = now ? [now.oid] : [];
    const oid = await this.writer.writeCommit(id, { tree, parents, author: by, committer: by, message });
    const updates = [{ ref: `refs/heads/${branch}`, old: now?.oid ?? zeroOid, new: oid }];
    await this.gate.apply({ repositoryId: id, updates, pusher: ada, source: 'api' });
    return oid;
  };
}
