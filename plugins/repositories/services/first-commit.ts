import { BadRequest, Invalid, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { GitWriter } from '@mortise/git/api';
import { firstCommit, type CommitWriter, type NewRepository, type Repository } from '../api.js';
import { gitignoreTemplates } from '../templates/gitignore.js';
import { licenseTemplates } from '../templates/licenses.js';
import { t } from '../texts/index.js';

type Files = { path: string; content: string }[];

/** The first commit of a new repository: README, licence, ignore file (REP-07). */
export class FirstCommit {
  constructor(private readonly deps: { accounts: Accounts; writer: GitWriter; commits: CommitWriter }) {}

  /** Checks the template names before anything is made (ERR-05). */
  files(options: NewRepository): Files {
    const readme = options.readme || 'Default';
    if (readme !== 'Default') throw BadRequest(`README template "${readme}" does not exist. Available: Default`);
    const files: Files = [{ path: 'README.md', content: `# ${options.name}\n\n${options.description ?? ''}` }];
    const ignores = (options.gitignores ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    const texts = ignores.map((name) => {
      const template = gitignoreTemplates.get(name);
      if (template === undefined) throw Invalid(t.later('error.gitignore', { name }));
      return `# ${name}\n${template}`;
    });
    if (texts.length) files.push({ path: '.gitignore', content: texts.join('\n') });
    if (options.license) {
      const license = licenseTemplates().get(options.license);
      if (!license) throw Invalid(t.later('error.license', { name: options.license }));
      files.push({ path: 'LICENSE', content: license.text });
    }
    return files;
  }

  async write(
    repository: Repository,
    owner: Account,
    actor: Actor,
    files: Files,
    options: NewRepository,
  ): Promise<void> {
    const { accounts, writer, commits } = this.deps;
    const account = (await accounts.byId(actor.id)) ?? owner;
    const year = String(new Date().getFullYear());
    const filled = files.map(({ path, content }) => ({
      path,
      content:
        path === 'LICENSE'
          ? content.replaceAll('<year>', year).replaceAll('<copyright holders>', account.fullName || account.name)
          : content,
    }));
    await commits.commit({
      repositoryId: repository.id,
      branch: options.defaultBranch || repository.defaultBranch,
      actor,
      source: 'internal',
      action: 'initial',
      skipChecks: true,
      plan: async () => ({
        tree: await writer.writeTree(repository.id, undefined, filled),
        parents: [],
        author: await commits.signatureOf(actor, owner),
        message: 'Initial commit\n',
        facts: firstCommit.with(true),
      }),
    });
  }
}
