import { BadRequest, Invalid, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { zeroOid, type GitWriter, type RefUpdates } from '@mortise/git/api';
import type { NewRepository, Repository } from '../api.js';
import { gitignoreTemplates } from '../templates/gitignore.js';
import { licenseTemplates } from '../templates/licenses.js';
import { signatureOf } from '../contract/signature.js';
import { t } from '../texts/index.js';

type Files = { path: string; content: string }[];

/** The first commit of a new repository: README, licence, ignore file (REP-07). */
export class FirstCommit {
  constructor(private readonly parts: { accounts: Accounts; writer: GitWriter; refs: RefUpdates }) {}

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
    const { accounts, writer, refs } = this.parts;
    const account = (await accounts.byId(actor.id)) ?? owner;
    const year = String(new Date().getFullYear());
    const filled = files.map(({ path, content }) => ({
      path,
      content:
        path === 'LICENSE'
          ? content.replaceAll('<year>', year).replaceAll('<copyright holders>', account.fullName || account.name)
          : content,
    }));
    const signature = signatureOf(accounts, account);
    const tree = await writer.writeTree(repository.id, undefined, filled);
    const commit = await writer.writeCommit(repository.id, {
      tree,
      parents: [],
      author: signature,
      committer: signature,
      message: 'Initial commit\n',
    });
    await refs.apply({
      repositoryId: repository.id,
      updates: [{ ref: `refs/heads/${options.defaultBranch || repository.defaultBranch}`, old: zeroOid, new: commit }],
      pusher: actor,
      source: 'internal',
      skipChecks: true,
    });
  }
}
