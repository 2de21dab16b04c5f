import { zonedTime } from '@mortise/plugin-sdk';
import type { Commit, Signature } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { WikiEntry } from '../contract/wiki.js';
import type { DatedEntry, WikiReader } from './wiki-reader.js';

const author = (signature: Signature) => ({
  name: signature.name,
  email: signature.email,
  date: zonedTime(signature),
});

/** Model `WikiCommit`; `commiter` is written so in the interface. */
export const wikiCommit = (commit: Commit) => ({
  sha: commit.oid,
  author: author(commit.author),
  commiter: author(commit.committer),
  message: commit.message,
});

/** Pages as the REST surface shows them. */
export class WikiPresenter {
  constructor(
    private readonly reader: WikiReader,
    private readonly repositories: Repositories,
  ) {}

  names(repository: Repository, entry: WikiEntry) {
    return {
      title: entry.title,
      html_url: `${this.repositories.htmlUrl(repository)}/wiki/${entry.name}`,
      sub_url: entry.name,
    };
  }

  /** Model `WikiPageMetaData`. */
  listed(repository: Repository, entry: DatedEntry) {
    return { ...this.names(repository, entry), last_commit: wikiCommit(entry.last) };
  }

  /** Model `WikiPage`. */
  async page(repository: Repository, commit: string, entry: WikiEntry) {
    const { id } = repository;
    const [text, history, sidebar, footer] = await Promise.all([
      this.reader.text(id, entry),
      this.reader.history(id, commit, entry.path),
      this.#aside(id, commit, '_Sidebar'),
      this.#aside(id, commit, '_Footer'),
    ]);
    const last = history.commits[0] ?? (await this.reader.open(id).commit(commit));
    return {
      ...this.names(repository, entry),
      last_commit: wikiCommit(last),
      content_base64: text.toString('base64'),
      commit_count: history.total,
      sidebar,
      footer,
    };
  }

  async #aside(id: number, commit: string, name: '_Sidebar' | '_Footer'): Promise<string> {
    const entry = await this.reader.aside(id, name, commit);
    return entry ? (await this.reader.text(id, entry)).toString('base64') : '';
  }
}
