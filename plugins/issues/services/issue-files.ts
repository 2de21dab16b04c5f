import type { MemoryCache } from '@mortise/plugin-sdk';
import { decodeText, followLinks, type GitReader, type GitRepository } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import { readForm, readMarkdown, type IssueTemplate } from './issue-template.js';
import { parseYaml } from '../contract/yaml.js';

const folders = ['', '.mortise', '.gitea', '.github'];
const templateFolders = folders.flatMap((folder) =>
  ['ISSUE_TEMPLATE', 'issue_template'].map((name) => (folder ? `${folder}/${name}` : name)),
);
const configFiles = folders
  .filter(Boolean)
  .flatMap((folder) =>
    ['issue_config', 'ISSUE_TEMPLATE/config', 'issue_template/config'].map((name) => `${folder}/${name}`),
  )
  .flatMap((name) => [`${name}.yaml`, `${name}.yml`]);
const maxBytes = 256 * 1024;
const maxTemplates = 50;

export interface IssueConfig {
  readonly blank_issues_enabled: boolean;
  readonly contact_links: readonly { readonly name: string; readonly url: string; readonly about: string }[];
}
const noConfig: IssueConfig = { blank_issues_enabled: true, contact_links: [] };

/** The configuration, and why its file is no good; empty: it is, or there is none. */
export interface ReadConfig {
  readonly config: IssueConfig;
  readonly problem: string;
}

/** What a repository's files say about its issues: templates and forms, blank issues, links to other places. */
export class IssueFiles {
  constructor(
    private readonly git: GitReader,
    private readonly templatesOf: MemoryCache<readonly IssueTemplate[]>,
    private readonly configs: MemoryCache<ReadConfig>,
  ) {}

  async templates(repository: Repository): Promise<readonly IssueTemplate[]> {
    const git = this.git.open(repository.id);
    const head = await git.resolve(repository.defaultBranch);
    if (!head) return [];
    return this.templatesOf.load(`${repository.id}:${head.commit}`, () => this.#read(git, head.commit));
  }

  /** Without a file, or with a broken one: what holds then. */
  async config(repository: Repository): Promise<IssueConfig> {
    return (await this.#configOf(repository)).config;
  }

  /** Why the file is no good; empty: it is, or there is none. */
  async problem(repository: Repository): Promise<string> {
    return (await this.#configOf(repository)).problem;
  }

  async #read(git: GitRepository, commit: string): Promise<IssueTemplate[]> {
    const templates: IssueTemplate[] = [];
    for (const folder of templateFolders) {
      const at = await git.entry(commit, folder);
      if (at?.type !== 'tree') continue;
      const files = (await git.tree(at.oid)).filter((entry) => entry.type === 'blob');
      for (const { name } of files.slice(0, maxTemplates)) {
        const read = /\.md$/i.test(name)
          ? readMarkdown
          : /\.ya?ml$/i.test(name) && !/^config\./i.test(name)
            ? readForm
            : undefined;
        const text = read && (await textAt(git, commit, `${folder}/${name}`));
        const template = text === undefined ? undefined : read?.(text, `${folder}/${name}`);
        if (template) templates.push(template);
      }
    }
    return templates;
  }

  async #configOf(repository: Repository): Promise<ReadConfig> {
    const git = this.git.open(repository.id);
    const head = await git.resolve(repository.defaultBranch);
    if (!head) return { config: noConfig, problem: '' };
    return this.configs.load(`${repository.id}:${head.commit}`, () => this.#readConfig(git, head.commit));
  }

  async #readConfig(git: GitRepository, commit: string): Promise<ReadConfig> {
    for (const path of configFiles) {
      const entry = await followLinks(git, commit, path);
      if (entry?.type !== 'blob') continue;
      const text = await textOf(git, entry.oid);
      if (text === undefined) return { config: noConfig, problem: `${path} is too large` };
      return readConfig(text);
    }
    return { config: noConfig, problem: '' };
  }
}

/** The text of a file, or of the one that it links to. */
async function textAt(git: GitRepository, commit: string, path: string): Promise<string | undefined> {
  const entry = await followLinks(git, commit, path);
  return entry?.type === 'blob' ? textOf(git, entry.oid) : undefined;
}

/** The text of a blob unless it is too large to be meant. */
async function textOf(git: GitRepository, oid: string): Promise<string | undefined> {
  const info = await git.info(oid);
  return info && info.size <= maxBytes ? decodeText(await git.blob(oid, maxBytes)).text : undefined;
}

function readConfig(text: string): ReadConfig {
  const refused = (problem: string) => ({ config: noConfig, problem });
  let given: unknown;
  try {
    given = parseYaml(text);
  } catch (error) {
    return refused(error instanceof Error ? error.message.split('\n', 1)[0]! : 'this is no YAML');
  }
  if (given === null || given === undefined) return { config: noConfig, problem: '' };
  if (typeof given !== 'object' || Array.isArray(given)) return refused('the file is no list of settings');
  const { blank_issues_enabled: blank = true, contact_links: links = [] } = given as Record<string, unknown>;
  if (typeof blank !== 'boolean') return refused('blank_issues_enabled is neither true nor false');
  if (!Array.isArray(links)) return refused('contact_links is no list');
  const contacts = [];
  for (const [index, link] of (links as Record<string, unknown>[]).entries()) {
    const { name, url, about } = link ?? {};
    for (const [key, value] of Object.entries({ name, url, about }))
      if (typeof value !== 'string' || !value) return refused(`contact_links, entry ${index + 1}: ${key} is missing`);
    if (!/^https?:\/\//i.test(url as string))
      return refused(`contact_links, entry ${index + 1}: url is no web address`);
    contacts.push({ name: name as string, url: url as string, about: about as string });
  }
  return { config: { blank_issues_enabled: blank, contact_links: contacts }, problem: '' };
}
