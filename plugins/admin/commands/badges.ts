import type { PluginHost, ServiceRef } from '@mortise/plugin-sdk';
import type { Badges } from '../services/badges.js';

const word = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `mortise admin badge …`: the badges that there are. */
export function badgeCommands(host: PluginHost, badges: ServiceRef<Badges>): void {
  const slug = { flags: '--slug <slug>', description: 'Name of the badge', required: true } as const;

  host.command(
    {
      name: 'admin badge create',
      summary: 'Make a badge',
      options: [
        slug,
        { flags: '--description <text>', description: 'What it stands for' },
        { flags: '--image-url <address>', description: 'Web address of its picture' },
      ],
    },
    { badges },
    async ({ args, print }, services) => {
      await services.badges.create(word(args.slug), word(args.description), word(args.imageUrl));
      print(`Badge ${word(args.slug)} was made.`);
    },
  );
  host.command(
    { name: 'admin badge list', summary: 'List badges', options: [] },
    { badges },
    async ({ print }, services) => {
      for (const { slug: name, description } of await services.badges.list()) print(`${name}  ${description}`.trim());
    },
  );
  host.command(
    { name: 'admin badge delete', summary: 'Delete a badge, whoever has it', options: [slug] },
    { badges },
    async ({ args, print }, services) => {
      await services.badges.remove(word(args.slug));
      print(`Badge ${word(args.slug)} was deleted.`);
    },
  );
}
