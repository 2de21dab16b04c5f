import { Invalid, systemActor, type CommandContext, type PluginHost, type ServiceRef } from '@mortise/plugin-sdk';
import type { HookOwner } from '../contract/webhooks.js';
import type { HookDispatcher } from '../services/hook-dispatcher.js';

const levels: readonly HookOwner[] = [
  { ownerKind: 'system', ownerId: 0 },
  { ownerKind: 'default', ownerId: 0 },
];
const textArgument = ({ args }: CommandContext, name: string): string | undefined => {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
const listStep = 200;

/** `mortise admin hook …`: webhooks of the whole site, and those that new repositories begin with. */
export function hookCommands(host: PluginHost, dispatcher: ServiceRef<HookDispatcher>): void {
  host.commandGroup({
    name: 'admin hook',
    summary: 'Webhooks of the whole site, and those that new repositories begin with',
    example: 'admin hook list',
  });
  host.command(
    { name: 'admin hook list', summary: 'List system and default webhooks', options: [] },
    { dispatcher },
    async ({ print }, { dispatcher: { hooks } }) => {
      print('ID\tLevel\tType\tActive\tEvents\tURL');
      for (let offset = 0; ; offset += listStep) {
        const { items } = await hooks.list(levels, { limit: listStep, offset });
        for (const { id, ownerKind, kind, active, events, url } of items)
          print([id, ownerKind, kind, active, events.join(','), url].join('\t'));
        if (items.length < listStep) return;
      }
    },
  );
  host.command(
    {
      name: 'admin hook create',
      summary: 'Create a system or default webhook',
      options: [
        { flags: '--level <word>', description: 'system, or default: for new repositories', required: true },
        { flags: '--url <address>', description: 'Where it is sent to', required: true },
        { flags: '--type <type>', description: 'Kind of receiver (default mortise)' },
        { flags: '--content-type <type>', description: 'json (default) or form' },
        { flags: '--events <names>', description: 'Events, separated by commas (default push)' },
        { flags: '--secret-stdin', description: 'Read the secret from the standard input' },
      ],
    },
    { dispatcher },
    async (context, { dispatcher: { hooks } }) => {
      const hookOwner = levels.find(({ ownerKind }) => ownerKind === textArgument(context, 'level'));
      if (!hookOwner) throw Invalid('--level takes system or default.');
      const secret = context.args.secretStdin === true ? (await context.input()).replace(/\r?\n$/, '') : undefined;
      const made = await hooks.create(
        hookOwner,
        {
          type: textArgument(context, 'type') ?? 'mortise',
          active: true,
          events: (textArgument(context, 'events') ?? 'push').split(',').map((name) => name.trim()),
          config: {
            url: textArgument(context, 'url') ?? '',
            content_type: textArgument(context, 'contentType') ?? 'json',
            ...(secret && { secret }),
          },
        },
        systemActor('command line'),
      );
      context.print(`Webhook ${made.id} was created.`);
    },
  );
  host.command(
    {
      name: 'admin hook delete',
      summary: 'Delete a system or default webhook',
      options: [{ flags: '--id <id>', description: 'Its number in the list', required: true }],
    },
    { dispatcher },
    async (context, { dispatcher: { hooks } }) => {
      const id = Number(textArgument(context, 'id'));
      if (!Number.isInteger(id)) throw Invalid('The id is a whole number.');
      const hook = await hooks.get(levels, id);
      await hooks.delete(hook);
      context.print(`Webhook ${id} was deleted.`);
    },
  );
}
