import { Invalid, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { loginSourceCommands } from '@mortise/accounts/api';
import type { DirectorySettings } from '../services/settings.js';

type Setting = keyof DirectorySettings;
type Args = CommandContext['args'];
interface Flag {
  readonly flags: string;
  readonly description: string;
  /** As the command line names its value. */
  readonly arg: string;
  readonly setting: Setting;
}

const flag = (flags: string, arg: string, setting: Setting, description: string): Flag => ({
  flags,
  arg,
  setting,
  description,
});

const common: readonly Flag[] = [
  flag('--host <host>', 'host', 'host', 'Name or address of the directory'),
  flag('--port <port>', 'port', 'port', 'Its port; default 389'),
  flag('--security-protocol <name>', 'securityProtocol', 'security', 'Unencrypted, LDAPS or StartTLS'),
  flag('--skip-tls-verify', 'skipTlsVerify', 'skipTlsVerify', 'Do not check its certificate'),
  flag('--user-search-base <dn>', 'userSearchBase', 'userBase', 'Where people are looked for'),
  flag('--user-filter <filter>', 'userFilter', 'userFilter', 'How they are found; %s stands for the name'),
  flag('--admin-filter <filter>', 'adminFilter', 'adminFilter', 'Who administers the site'),
  flag('--restricted-filter <filter>', 'restrictedFilter', 'restrictedFilter', 'Who is restricted; * is everybody'),
  flag('--username-attribute <name>', 'usernameAttribute', 'usernameAttribute', 'Attribute of the username'),
  flag('--firstname-attribute <name>', 'firstnameAttribute', 'firstNameAttribute', 'Attribute of the first name'),
  flag('--surname-attribute <name>', 'surnameAttribute', 'surnameAttribute', 'Attribute of the surname'),
  flag('--email-attribute <name>', 'emailAttribute', 'emailAttribute', 'Attribute of the email address'),
  flag('--public-ssh-key-attribute <name>', 'publicSshKeyAttribute', 'sshKeyAttribute', 'Attribute of the SSH keys'),
  flag('--avatar-attribute <name>', 'avatarAttribute', 'avatarAttribute', 'Attribute of the picture'),
  flag('--enable-groups', 'enableGroups', 'groupsEnabled', 'Ask for the groups of people'),
  flag('--group-search-base-dn <dn>', 'groupSearchBaseDn', 'groupBase', 'Where groups are looked for'),
  flag('--group-member-attribute <name>', 'groupMemberAttribute', 'groupMemberAttribute', 'Attribute of the members'),
  flag('--group-user-attribute <name>', 'groupUserAttribute', 'groupUserAttribute', 'What groups name people by'),
  flag('--group-filter <filter>', 'groupFilter', 'groupFilter', 'Groups whose members may sign in'),
  flag('--group-team-map <json>', 'groupTeamMap', 'groupTeamMap', 'Group, organization and teams, as JSON'),
  flag('--group-team-map-removal', 'groupTeamMapRemoval', 'groupTeamMapRemoval', 'Take people out of these teams too'),
];

const viaBindDn: readonly Flag[] = [
  flag('--bind-dn <dn>', 'bindDn', 'bindDn', 'Who searches'),
  flag('--attributes-in-bind', 'attributesInBind', 'attributesInBind', 'Read attributes as the person'),
  flag('--page-size <count>', 'pageSize', 'pageSize', 'Entries of one answer; 0: all'),
  flag('--allow-deactivate-all', 'allowDeactivateAll', 'allowDeactivateAll', 'An empty answer deactivates everybody'),
];
const simple: readonly Flag[] = [flag('--user-dn <pattern>', 'userDn', 'userDn', 'Entry of a person; %s is the name')];

const state = [
  { flags: '--active', description: 'People can sign in with it' },
  { flags: '--not-active', description: 'Nobody can sign in with it' },
  { flags: '--skip-local-2fa', description: 'It asks for a second factor itself' },
] as const;
const secretFlags = [
  { flags: '--bind-password <password>', description: 'Password of who searches; - reads it from the standard input' },
] as const;
const syncFlags = [
  { flags: '--synchronize-users', description: 'Take people over regularly' },
  { flags: '--disable-synchronize-users', description: 'Do not' },
] as const;

/** Where others do not see it, as they do an argument. */
const passwordVariable = 'MORTISE_LDAP_BIND_PASSWORD';

function settingsIn(args: Args, flags: readonly Flag[]): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const { arg, setting } of flags) {
    const value = args[arg];
    if (value === undefined) continue;
    given[setting] = setting === 'security' ? String(value).toLowerCase() : value;
  }
  return given;
}

async function passwordIn({ args, input }: CommandContext): Promise<Record<string, string>> {
  const given = args.bindPassword ?? process.env[passwordVariable];
  if (typeof given !== 'string' || given === '') return {};
  const password = given === '-' ? (await input()).replace(/\r?\n$/, '') : given;
  if (password === '') throw Invalid('No password was given on standard input.');
  return { bindPassword: password };
}

const stateIn = (args: Args) => ({
  ...((args.active === true || args.notActive === true) && { isActive: args.notActive !== true }),
  ...((args.synchronizeUsers === true || args.disableSynchronizeUsers === true) && {
    isSyncEnabled: args.disableSynchronizeUsers !== true,
  }),
  ...(args.skipLocal2fa === true && { skipsSecondFactor: true }),
});

/** `mortise admin auth add-ldap` and the like. */
export function sourceCommands(host: PluginHost): void {
  for (const [kind, flags] of [
    ['ldap', [...viaBindDn, ...common]],
    ['ldap-simple', [...simple, ...common]],
  ] as const) {
    const plain = flags.map((one) => ({ flags: one.flags, description: one.description }));
    loginSourceCommands(host, {
      name: kind,
      kind,
      options: [...plain, ...(kind === 'ldap' ? [...secretFlags, ...syncFlags] : []), ...state],
      settings: async (context) => ({
        ...settingsIn(context.args, flags),
        ...(kind === 'ldap' && (await passwordIn(context))),
      }),
      state: stateIn,
    });
  }
}
