import { Invalid, systemActor, type CommandContext, type PluginHost, type ServiceRef } from '@mortise/plugin-sdk';
import type { AdoptionService } from '../services/adoption.js';

function pathOf({ args }: CommandContext): [owner: string, name: string] {
  const [owner, name, ...more] = (typeof args.name === 'string' ? args.name : '').split('/');
  if (!owner || !name || more.length) throw Invalid('Give the folder as owner/name.');
  return [owner, name];
}

/** `mortise admin repo list-unadopted`, `adopt` and `delete-unadopted`. */
export function adoptionCommands(host: PluginHost, adoption: ServiceRef<AdoptionService>): void {
  const folder = {
    flags: '--name <owner/name>',
    description: 'The folder, as the list says it',
    required: true,
  } as const;
  host.command(
    {
      name: 'admin repo list-unadopted',
      summary: 'List folders that can be adopted',
      options: [{ flags: '--pattern <pattern>', description: 'Part of the name, or a pattern with *' }],
    },
    { adoption },
    async ({ args, print }, services) => {
      const { items } = await services.adoption.list(typeof args.pattern === 'string' ? args.pattern : '', Infinity, 0);
      for (const path of items) print(path);
    },
  );
  host.command(
    { name: 'admin repo adopt', summary: 'Make a repository of a folder', options: [folder] },
    { adoption },
    async (context, services) => {
      const { ownerName, name } = await services.adoption.adopt(...pathOf(context), systemActor('command line'));
      context.print(`Repository ${ownerName}/${name} was adopted.`);
    },
  );
  host.command(
    { name: 'admin repo delete-unadopted', summary: 'Delete a folder that was not adopted', options: [folder] },
    { adoption },
    async (context, services) => {
      const [owner, name] = pathOf(context);
      await services.adoption.remove(owner, name);
      context.print(`The folder ${owner}/${name} was deleted.`);
    },
  );
}
