import { NotFound, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { loginSources, type LoginSourceChanges } from './login-sources.js';

type Option = { readonly flags: string; readonly description: string };

interface LoginSourceCommands {
  /** Last word of the names of the commands: `oauth` of `add-oauth`. */
  readonly name: string;
  readonly kind: string;
  /** Beside `--id` and `--name`. */
  readonly options: readonly Option[];
  /** Those that only a change has. */
  readonly updateOptions?: readonly Option[];
  /** The settings that were given. */
  settings(context: CommandContext): Promise<Readonly<Record<string, unknown>>>;
  /** What else was given. */
  state(args: CommandContext['args']): Pick<LoginSourceChanges, 'isActive' | 'isSyncEnabled' | 'skipsSecondFactor'>;
}

/** `mortise admin auth add-NAME` and `update-NAME`, for login sources of a kind. */
export function loginSourceCommands(
  host: PluginHost,
  { name, kind, options, updateOptions = [], settings, state }: LoginSourceCommands,
): void {
  host.command(
    {
      name: `admin auth add-${name}`,
      summary: `Add a login source of the type ${kind}`,
      options: [{ flags: '--name <name>', description: 'What it is called', required: true }, ...options],
    },
    { loginSources },
    async (context, services) => {
      const source = await services.loginSources.create({
        kind,
        name: String(context.args.name),
        settings: await settings(context),
        ...state(context.args),
      });
      context.print(`Login source ${source.id} (${source.name}) was added.`);
    },
  );
  host.command(
    {
      name: `admin auth update-${name}`,
      summary: `Change a login source of the type ${kind}`,
      options: [
        { flags: '--id <id>', description: 'Its number in the list', required: true },
        { flags: '--name <name>', description: 'What it is called' },
        ...updateOptions,
        ...options,
      ],
    },
    { loginSources },
    async (context, services) => {
      const id = Number(context.args.id);
      const source = Number.isInteger(id) ? await services.loginSources.byId(id) : undefined;
      if (source?.kind !== kind) throw NotFound(`Login source ${String(context.args.id)} of this type does not exist.`);
      const { name: newName } = context.args;
      const updated = await services.loginSources.update(id, {
        settings: { ...source.settings, ...(await settings(context)) },
        ...(typeof newName === 'string' && { name: newName }),
        ...state(context.args),
      });
      context.print(`Login source ${updated.id} (${updated.name}) was changed.`);
    },
  );
}
