import { anonymous, Conflict, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { accounts, type Account, type Accounts } from '@mortise/accounts/api';
import { gitWriter, refUpdates, zeroOid, type GitWriter, type RefUpdates, type Signature } from '@mortise/git/api';
import { repositories, repositoryMembers, type Repositories, type Repository } from '../api.js';
import { demoUsers, demoRepositories, type DemoRepository } from './demo-data.js';

interface Services {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly writer: GitWriter;
  readonly refs: RefUpdates;
}

const dayMs = 86_400_000;

/** `mortise admin demo`: people and repositories with a history, to look around in. */
export function demoCommand(host: PluginHost): void {
  host.command(
    {
      name: 'admin demo',
      summary: 'Fill a new site with people and repositories to look around in',
      options: [
        { flags: '--password <password>', description: 'Password of the accounts; default: a random one, printed' },
      ],
    },
    { accounts, repositories, writer: gitWriter, refs: refUpdates, memberService: repositoryMembers },
    async (context, services) => {
      for (const { name } of demoUsers)
        if (await services.accounts.byName(name))
          throw Conflict(`User ${name} already exists. Demo data is meant for a new site.`);
      const password = passwordOf(context, services.accounts);
      const made = new Map<string, Account>();
      for (const { name, fullName } of demoUsers)
        made.set(
          name,
          await services.accounts.create({ name, fullName, email: `${name}@example.com`, password: password.text }),
        );
      for (const plan of demoRepositories) {
        const owner = made.get(plan.owner)!;
        const repository = await makeRepository(services, owner, plan, made);
        context.print(`${owner.name}/${repository.name}: ${plan.commits.length} commits`);
      }
      if (password.isRandom)
        context.print(`Password of ${demoUsers.map(({ name }) => name).join(', ')}: ${password.text}`);
      context.print('The demo data is there.');
    },
  );
}

function passwordOf({ args }: CommandContext, service: Accounts): { text: string; isRandom: boolean } {
  return typeof args.password === 'string' && args.password !== ''
    ? { text: args.password, isRandom: false }
    : { text: service.randomPassword(), isRandom: true };
}

async function makeRepository(
  { accounts, repositories, writer, refs }: Services,
  owner: Account,
  plan: DemoRepository,
  accountsByName: ReadonlyMap<string, Account>,
): Promise<Repository> {
  const actor = { ...anonymous, ...accounts.actorOf(owner, 'command') };
  const { name, description } = plan;
  const repository = await repositories.create(owner, { name, description, defaultBranch: 'main' }, actor);
  const begin = Date.now() - plan.commits.length * 2 * dayMs;
  const updates: { ref: string; old: string; new: string }[] = [];
  let tip: string | undefined;
  let at = 0;
  for (const { author, message, files, branch, tag } of plan.commits) {
    const user = accountsByName.get(author)!;
    const who: Signature = {
      name: user.fullName || user.name,
      email: `${user.name}@example.com`,
      time: begin + ++at * 1.7 * dayMs,
      zone: '+0000',
    };
    const changes = Object.entries(files).map(([path, content]) => ({ path, content }));
    const tree = await writer.writeTree(repository.id, tip, changes);
    const parents = tip ? [tip] : [];
    const oid = await writer.writeCommit(repository.id, { tree, parents, author: who, committer: who, message });
    if (branch) updates.push({ ref: `refs/heads/${branch}`, old: zeroOid, new: oid });
    else tip = oid;
    if (tag) updates.push({ ref: `refs/tags/${tag}`, old: zeroOid, new: oid });
  }
  if (tip) updates.unshift({ ref: 'refs/heads/main', old: zeroOid, new: tip });
  await refs.apply({ repositoryId: repository.id, updates, pusher: actor, source: 'api' });
  return repository;
}
