import { isAbsolute, join, resolve } from 'node:path';
import { Invalid, type CommandContext, type PluginHost, type ServiceRef } from '@mortise/plugin-sdk';
import type { AuthorMapping } from '../contract/importer.js';
import { unitsIn } from '../dump/units.js';
import type { RepositoryDump } from '../services/repository-dump.js';
import type { RepositoryRestore } from '../services/repository-restore.js';

const textIn = ({ args }: CommandContext, name: string): string => {
  const value = args[name];
  return typeof value === 'string' ? value : '';
};
const folderIn = (context: CommandContext): string => {
  const folder = textIn(context, 'repo_dir') || './data';
  return isAbsolute(folder) ? folder : resolve(folder);
};

const units = {
  flags: '--units <units>',
  description:
    'What goes along, separated by commas; default all: wiki, issues, labels, releases, release_assets, milestones, pull_requests, comments, projects',
};
const mappings = ['none', 'email', 'name'] as const;

/** `mortise dump-repo` and `restore-repo`, with the flags of compatible services. */
export function dumpCommands(
  host: PluginHost,
  services: { readonly dump: ServiceRef<RepositoryDump>; readonly restore: ServiceRef<RepositoryRestore> },
  mapAuthors: AuthorMapping['by'],
): void {
  host.command(
    {
      name: 'dump-repo',
      summary: 'Write a repository of this site, or of another service, with all its data into a folder',
      options: [
        { flags: '--git_service <service>', description: 'Kind of the other service: git, github, gitea, gitlab, …' },
        { flags: '--repo_dir <folder>', description: 'Where it is written: <folder>/<owner>/<name>; default ./data' },
        { flags: '--clone_addr <address>', description: 'Address at the other service; without it: this site' },
        { flags: '--auth_username <name>', description: 'User name at the other service' },
        { flags: '--auth_password <password>', description: 'Password there; - reads it from the standard input' },
        { flags: '--auth_token <token>', description: 'Token there; - reads it from the standard input' },
        { flags: '--owner_name <owner>', description: 'Owner of the repository, or folder of that name' },
        { flags: '--repo_name <name>', description: 'Name of the repository, or folder of that name' },
        units,
      ],
    },
    { dump: services.dump },
    async (context, { dump }) => {
      const path = { owner: textIn(context, 'owner_name'), name: textIn(context, 'repo_name') };
      if (Object.values(path).some((part) => /[/\\\0]|^\.+$/.test(part)))
        throw Invalid('--owner_name and --repo_name are names, without separators.');
      const folder = join(folderIn(context), path.owner, path.name);
      const options = { folder, units: unitsIn(textIn(context, 'units')) };
      const address = textIn(context, 'clone_addr');
      if (address) await dump.ofService(serviceIn(context), address, await valuesIn(context), path, options);
      else if (path.owner && path.name) await dump.ofSite(path, options, context.request);
      else throw Invalid('Give --clone_addr, or --owner_name and --repo_name of a repository of this site.');
      context.print(`The repository was written to ${folder}.`);
    },
  );
  host.command(
    {
      name: 'restore-repo',
      summary: 'Make a repository of a folder that dump-repo has written',
      options: [
        { flags: '--repo_dir <folder>', description: 'The folder with repo.yml; default ./data' },
        { flags: '--owner_name <owner>', description: 'Who is to own it', required: true },
        { flags: '--repo_name <name>', description: 'How it is to be called', required: true },
        units,
        { flags: '--validation', description: 'Refuse properties that are not known' },
        {
          flags: '--map_authors <how>',
          description: 'Whose texts they are: none, email or name; default: [migrations] MAP_AUTHORS',
        },
      ],
    },
    { restore: services.restore },
    async (context, { restore }) => {
      const mapping = textIn(context, 'map_authors') || mapAuthors;
      const authors = mappings.find((one) => one === mapping);
      if (!authors) throw Invalid(`--map_authors is none, email or name, not ${mapping}.`);
      const notes: string[] = [];
      const { ownerName, name } = await restore.run({
        folder: folderIn(context),
        owner: textIn(context, 'owner_name'),
        name: textIn(context, 'repo_name'),
        units: unitsIn(textIn(context, 'units')),
        isStrict: context.args.validation === true,
        authors,
        note: (text) => void notes.push(text),
      });
      context.print(`Repository ${ownerName}/${name} was restored.`);
      for (const note of notes) context.print(note);
    },
  );
}

/** By the address where the flag says nothing, as compatible services do. */
function serviceIn(context: CommandContext): string {
  const service = textIn(context, 'git_service');
  if (service) return service.toLowerCase();
  const address = textIn(context, 'clone_addr');
  if (/^https?:\/\/(?:www\.)?github\.com\//i.test(address)) return 'github';
  if (/^https?:\/\/gitlab\.com\//i.test(address)) return 'gitlab';
  if (/^https?:\/\/gitea\.com\//i.test(address)) return 'gitea';
  return 'git';
}

/** Other users of the machine read command lines: a secret may come on the standard input. */
async function valuesIn(context: CommandContext): Promise<Record<string, string>> {
  const names = ['auth_username', 'auth_password', 'auth_token'];
  const entries = names.map((name) => [name, textIn(context, name)] as const).filter(([, value]) => value);
  const secret = entries.some(([, value]) => value === '-') ? (await context.input()).trim() : '';
  return Object.fromEntries(entries.map(([name, value]) => [name, value === '-' ? secret : value]));
}
