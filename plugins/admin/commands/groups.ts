import type { CommandGroup, PluginHost } from '@mortise/plugin-sdk';

const groups: readonly CommandGroup[] = [
  {
    name: 'admin',
    summary: 'Look after accounts, organizations, repositories, tasks and the rest of the site',
    example: 'admin statistics',
  },
  {
    name: 'admin user',
    summary: 'Create, list, edit and delete accounts, and help people who cannot sign in',
    example: 'admin user create --username ada --email ada@example.com --random-password',
  },
  {
    name: 'admin email',
    summary: 'Look at email addresses of accounts',
    example: 'admin email list',
  },
  {
    name: 'admin task',
    summary: 'List scheduled tasks and run one now',
    example: 'admin task list',
  },
  {
    name: 'admin notice',
    summary: 'Read and delete notices of what went wrong in the background',
    example: 'admin notice list',
  },
  {
    name: 'admin badge',
    summary: 'Make the badges that profiles show',
    example: 'admin badge list',
  },
  {
    name: 'admin auth',
    summary: 'Set up sources of sign-ins, such as a directory or another service',
    example: 'admin auth list',
  },
];

/** What the help says of the groups below `mortise admin`; plugins that add a group of their own describe it. */
export function commandGroups(host: PluginHost): void {
  for (const group of groups) host.commandGroup(group);
}
