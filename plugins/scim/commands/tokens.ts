import { NotFound, type CommandContext, type PluginHost, type ServiceRef } from '@mortise/plugin-sdk';
import type { ScimTokens } from '../services/tokens.js';

const textIn = ({ args }: CommandContext, name: string): string => {
  const value = args[name];
  return typeof value === 'string' ? value.trim() : '';
};

/** `mortise admin scim …`: tokens of identity providers. */
export function tokenCommands(host: PluginHost, scimTokens: ServiceRef<ScimTokens>): void {
  const byName = async (tokens: ScimTokens, name: string) => {
    const token = (await tokens.list()).find((one) => one.name === name);
    if (!token) throw NotFound(`SCIM token ${name} does not exist.`);
    return token;
  };
  const nameOption = { flags: '--name <name>', description: 'What it is called', required: true };
  host.commandGroup({
    name: 'admin scim',
    summary: 'Tokens by which identity providers manage accounts over SCIM',
    example: 'admin scim create-token --name okta',
  });
  host.command(
    {
      name: 'admin scim create-token',
      summary: 'Create a token of an identity provider and print it',
      options: [
        nameOption,
        { flags: '--organization <name>', description: 'Its teams are the groups; default: there are no groups' },
        { flags: '--login-source <name>', description: 'New accounts belong to it; default: to none' },
        { flags: '--manage-administrators', description: 'It may change and deactivate site administrators' },
      ],
    },
    { scimTokens },
    async (context, services) => {
      const { secret } = await services.scimTokens.create({
        name: textIn(context, 'name'),
        organization: textIn(context, 'organization'),
        loginSource: textIn(context, 'loginSource'),
        managesAdministrators: context.args.manageAdministrators === true,
      });
      context.print(`SCIM token: ${secret}`);
    },
  );
  host.command(
    { name: 'admin scim list-tokens', summary: 'List the tokens of identity providers', options: [] },
    { scimTokens },
    async ({ print }, services) => {
      print('ID\tName\tOrganization\tLogin source\tManages administrators');
      for (const token of await services.scimTokens.listNamed())
        print([token.id, token.name, token.organization, token.loginSource, token.managesAdministrators].join('\t'));
    },
  );
  host.command(
    {
      name: 'admin scim renew-token',
      summary: 'Give a token a new secret and print it; the old one opens nothing any more',
      options: [nameOption],
    },
    { scimTokens },
    async (context, services) => {
      const token = await byName(services.scimTokens, textIn(context, 'name'));
      context.print(`SCIM token: ${(await services.scimTokens.renew(token.id)).secret}`);
    },
  );
  host.command(
    {
      name: 'admin scim delete-token',
      summary: 'Delete a token; accounts and teams stay as they are',
      options: [nameOption],
    },
    { scimTokens },
    async (context, services) => {
      const token = await byName(services.scimTokens, textIn(context, 'name'));
      await services.scimTokens.delete(token.id);
      context.print(`SCIM token ${token.name} was deleted.`);
    },
  );
}
