import { Problem } from '@mortise/plugin-sdk';
import { decodeText, encodingOf, followLinks, type GitReader, type GitRepository } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import type { MergeStyle } from '../api.js';

const ownFolders = ['.mortise', '.gitea'];
const templateFolders = [...ownFolders, '.github', '', 'docs'];
const maxBytes = 64 * 1024;

/** What a pull request begins with. */
export interface PullTemplate {
  readonly title: string;
  readonly text: string;
  /** A form of fields in YAML, which stands in place of the text. */
  readonly form?: { readonly yaml: string; readonly fileName: string };
}

/** Texts for pull requests that a repository keeps on its default branch. */
export class RepositoryTexts {
  constructor(private readonly git: GitReader) {}

  /** For messages of merges: `default_merge_message/SQUASH_TEMPLATE.md` and the like; the first folder that has it. */
  async mergeTemplate(repository: Repository, style: MergeStyle): Promise<string | undefined> {
    const { git, tip } = await this.#open(repository);
    for (const folder of tip ? ownFolders : []) {
      const path = `${folder}/default_merge_message/${style.toUpperCase()}_TEMPLATE.md`;
      const entry = await followLinks(git, tip!, path);
      const text = entry?.type === 'blob' ? await textOf(git, entry.oid) : undefined;
      if (text?.trim()) return text;
    }
    return undefined;
  }

  /** For new pull requests: `PULL_REQUEST_TEMPLATE.md`, however it is spelt, or a form as `.yaml` or `.yml`. */
  async pullTemplate(repository: Repository): Promise<PullTemplate | undefined> {
    const { git, tip } = await this.#open(repository);
    for (const folder of tip ? templateFolders : []) {
      const at = folder ? await git.entry(tip!, folder) : { type: 'tree', oid: (await git.commit(tip!)).tree };
      if (at?.type !== 'tree') continue;
      const file = (await git.tree(at.oid)).find(
        ({ name, type }) => type === 'blob' && /^pull_request_template\.(md|ya?ml)$/i.test(name),
      );
      if (!file) continue;
      const fileName = folder ? `${folder}/${file.name}` : file.name;
      const target = await followLinks(git, tip!, fileName);
      const text = target?.type === 'blob' ? await textOf(git, target.oid) : undefined;
      if (!text?.trim()) continue;
      if (/\.md$/i.test(file.name)) return withoutMatter(text);
      return { title: '', text: '', form: { yaml: text, fileName } };
    }
    return undefined;
  }

  async #open({ id, defaultBranch }: Repository) {
    const git = this.git.open(id);
    return { git, tip: (await git.branch(defaultBranch))?.oid };
  }
}

/** Of front matter the title counts. */
function withoutMatter(file: string): PullTemplate {
  const [, matter = '', rest] = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*\r?\n?([\s\S]*)$/.exec(file) ?? [];
  const [, title = ''] = /^title:[ \t]*(.*)$/m.exec(matter) ?? [];
  return { title: title.trim().replace(/^(['"])(.*)\1$/, '$2'), text: rest ?? file };
}

/** Undefined for what is no text, or too large to be meant. */
async function textOf(git: GitRepository, oid: string): Promise<string | undefined> {
  try {
    const content = await git.blob(oid, maxBytes);
    const encoding = encodingOf(content);
    if (content.includes(0) && !encoding.startsWith('UTF-16')) return undefined;
    return decodeText(content, encoding).text.replaceAll('\r\n', '\n');
  } catch (error) {
    if (Problem.is(error)) return undefined;
    throw error;
  }
}
