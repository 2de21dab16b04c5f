import { readFile } from 'node:fs/promises';
import { Invalid, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { loginSourceCommands } from '@mortise/accounts/api';
import { kindKey } from '../routes/active-sources.js';
import { nameIdFormats, type SamlSettings } from '../services/source-settings.js';

type Args = CommandContext['args'];
interface Flag {
  readonly flags: string;
  readonly description: string;
  /** As the command line names its value. */
  readonly arg: string;
  readonly setting: keyof SamlSettings;
  /** The value is the name of a file. */
  readonly isFile?: boolean;
}

const flag = (flags: string, arg: string, setting: Flag['setting'], description: string, isFile = false): Flag => ({
  flags,
  arg,
  setting,
  description,
  isFile,
});

const settingFlags: readonly Flag[] = [
  flag('--entry-point <url>', 'entryPoint', 'entryPoint', 'Where people sign in (redirect binding)'),
  flag('--logout-url <url>', 'logoutUrl', 'logoutUrl', 'Where people sign out (redirect binding); needs a private key'),
  flag('--idp-issuer <id>', 'idpIssuer', 'idpIssuer', 'Entity ID of the provider'),
  flag('--idp-certificates <file>', 'idpCertificates', 'idpCertificates', 'File of its certificates, in PEM', true),
  flag('--entity-id <id>', 'entityId', 'entityId', 'Entity ID of this site; default: the address of its metadata'),
  flag('--name-id-format <name>', 'nameIdFormat', 'nameIdFormat', `One of ${nameIdFormats.join(', ')}`),
  flag(
    '--wants-signed-response <bool>',
    'wantsSignedResponse',
    'wantsSignedResponse',
    'The response must be signed, too: true or false',
  ),
  flag('--private-key <file>', 'privateKey', 'privateKey', 'File of the key that signs and decrypts, in PEM', true),
  flag('--certificate <file>', 'certificate', 'certificate', 'File of its certificate, in PEM', true),
  flag('--login-name-attribute <name>', 'loginNameAttribute', 'loginNameAttribute', 'By which people are known'),
  flag('--username-attribute <name>', 'usernameAttribute', 'usernameAttribute', 'Attribute of the username'),
  flag('--email-attribute <name>', 'emailAttribute', 'emailAttribute', 'Attribute of the email address'),
  flag('--full-name-attribute <name>', 'fullNameAttribute', 'fullNameAttribute', 'Attribute of the full name'),
  flag('--groups-attribute <name>', 'groupsAttribute', 'groupsAttribute', 'Attribute with the groups of people'),
  flag('--required-group <group>', 'requiredGroup', 'requiredGroup', 'Only its members may sign in'),
  flag('--admin-group <group>', 'adminGroup', 'adminGroup', 'Group of administrators'),
  flag('--restricted-group <group>', 'restrictedGroup', 'restrictedGroup', 'Group of restricted users'),
  flag('--group-team-map <json>', 'groupTeamMap', 'groupTeamMap', 'Group, organization and teams, as JSON'),
  flag(
    '--group-team-map-removal <bool>',
    'groupTeamMapRemoval',
    'groupTeamMapRemoval',
    'Take people out of teams too: true or false',
  ),
];

const state = [
  { flags: '--skip-local-2fa <bool>', description: 'It asks for a second factor itself: true or false' },
  { flags: '--active', description: 'People can sign in with it' },
  { flags: '--not-active', description: 'Nobody can sign in with it' },
] as const;

async function settingsIn(args: Args): Promise<Record<string, unknown>> {
  const given: Record<string, unknown> = {};
  for (const { arg, setting, isFile } of settingFlags) {
    const value = args[arg];
    if (value === undefined) continue;
    given[setting] = isFile ? await contentOf(String(value)) : value;
  }
  return given;
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw Invalid(`Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** Undefined where the option is not given. */
function booleanIn(args: Args, arg: string, option: string): boolean | undefined {
  const value = args[arg];
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw Invalid(`${option} must be true or false.`);
  return value === 'true';
}

function stateIn(args: Args) {
  const skipsSecondFactor = booleanIn(args, 'skipLocal2fa', '--skip-local-2fa');
  return {
    ...((args.active === true || args.notActive === true) && { isActive: args.notActive !== true }),
    ...(skipsSecondFactor !== undefined && { skipsSecondFactor }),
  };
}

const plain = [...settingFlags, ...state].map(({ flags, description }) => ({ flags, description }));

/** `mortise admin auth add-saml` and `update-saml`. */
export const sourceCommands = (host: PluginHost): void =>
  loginSourceCommands(host, {
    name: 'saml',
    kind: kindKey,
    options: plain,
    updateOptions: [{ flags: '--remove-key', description: 'Remove the private key and its certificate' }],
    settings: async ({ args }) => ({
      ...(await settingsIn(args)),
      ...(args.removeKey === true && { removeKey: true }),
    }),
    state: stateIn,
  });
