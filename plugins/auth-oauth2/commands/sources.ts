import { Invalid, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { loginSourceCommands } from '@mortise/accounts/api';
import { kindKey } from '../routes/active-sources.js';
import { providerKeys } from '../services/providers.js';
import type { OAuth2Settings } from '../services/source-settings.js';

type Args = CommandContext['args'];
interface Flag {
  readonly flags: string;
  readonly description: string;
  /** As the command line names its value. */
  readonly arg: string;
  readonly setting: keyof OAuth2Settings;
}

const flag = (flags: string, arg: string, setting: Flag['setting'], description: string): Flag => ({
  flags,
  arg,
  setting,
  description,
});

const settingFlags: readonly Flag[] = [
  flag('--provider <provider>', 'provider', 'provider', `One of ${providerKeys.join(', ')}`),
  flag('--key <id>', 'key', 'clientId', 'Client ID'),
  flag('--auto-discover-url <url>', 'autoDiscoverUrl', 'discoveryUrl', 'Discovery URL of OpenID Connect'),
  flag('--use-custom-urls <bool>', 'useCustomUrls', 'useCustomUrls', 'Use the custom URLs: true or false'),
  flag('--custom-tenant-id <id>', 'customTenantId', 'tenant', 'Directory (tenant) of Microsoft Entra ID'),
  flag('--custom-auth-url <url>', 'customAuthUrl', 'authUrl', 'Authorization URL'),
  flag('--custom-token-url <url>', 'customTokenUrl', 'tokenUrl', 'Token URL'),
  flag('--custom-profile-url <url>', 'customProfileUrl', 'profileUrl', 'Profile URL'),
  flag('--custom-email-url <url>', 'customEmailUrl', 'emailUrl', 'URL of the email addresses'),
  flag('--icon-url <url>', 'iconUrl', 'iconUrl', 'Icon on the sign-in page'),
  flag('--scopes <scopes>', 'scopes', 'scopes', 'Scopes, by commas or spaces'),
  flag('--required-claim-name <name>', 'requiredClaimName', 'requiredClaimName', 'Claim that people must have'),
  flag('--required-claim-value <value>', 'requiredClaimValue', 'requiredClaimValue', 'Value that it must have'),
  flag('--group-claim-name <name>', 'groupClaimName', 'groupClaimName', 'Claim with the groups of people'),
  flag('--admin-group <group>', 'adminGroup', 'adminGroup', 'Group of administrators'),
  flag('--restricted-group <group>', 'restrictedGroup', 'restrictedGroup', 'Group of restricted users'),
  flag('--group-team-map <json>', 'groupTeamMap', 'groupTeamMap', 'Group, organization and teams, as JSON'),
  flag('--full-name-claim-name <name>', 'fullNameClaimName', 'fullNameClaimName', 'Claim with the full name'),
  flag(
    '--ssh-public-key-claim-name <name>',
    'sshPublicKeyClaimName',
    'sshPublicKeyClaimName',
    'Claim with the public SSH keys',
  ),
];

const switches: readonly Flag[] = [
  flag('--group-team-map-removal', 'groupTeamMapRemoval', 'groupTeamMapRemoval', 'Take people out of teams too'),
];

const secretFlag = {
  flags: '--secret <secret>',
  description: 'Client secret; - reads it from the standard input',
} as const;

const state = [
  { flags: '--skip-local-2fa', description: 'It asks for a second factor itself' },
  { flags: '--active', description: 'People can sign in with it' },
  { flags: '--not-active', description: 'Nobody can sign in with it' },
] as const;

/** Where others do not see it, as they do an argument. */
const secretVariable = 'MORTISE_OAUTH_CLIENT_SECRET';

function settingsIn(args: Args): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const { arg, setting } of [...settingFlags, ...switches])
    if (args[arg] !== undefined) given[setting] = args[arg];
  return given;
}

async function secretIn({ args, input }: CommandContext): Promise<Record<string, string>> {
  const given = args.secret ?? process.env[secretVariable];
  if (typeof given !== 'string' || given === '') return {};
  const secret = given === '-' ? (await input()).replace(/\r?\n$/, '') : given;
  if (secret === '') throw Invalid('No secret was given on standard input.');
  return { clientSecret: secret };
}

const stateIn = (args: Args) => ({
  ...((args.active === true || args.notActive === true) && { isActive: args.notActive !== true }),
  ...(args.skipLocal2fa === true && { skipsSecondFactor: true }),
});

const plain = [...settingFlags, secretFlag, ...switches, ...state].map(({ flags, description }) => ({
  flags,
  description,
}));

/** `mortise admin auth add-oauth` and `update-oauth`. */
export const sourceCommands = (host: PluginHost): void =>
  loginSourceCommands(host, {
    name: 'oauth',
    kind: kindKey,
    options: plain,
    settings: async (context) => ({ ...settingsIn(context.args), ...(await secretIn(context)) }),
    state: stateIn,
  });
