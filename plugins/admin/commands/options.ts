import { Invalid, NotFound, type CommandContext } from '@mortise/plugin-sdk';
import type { Account, Accounts, LoginSources } from '@mortise/accounts/api';

/** Rows that a list of a command reads at once. */
export const listStep = 500;

export const textOption = (context: CommandContext, name: string): string | undefined => {
  const value = context.args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The person that `--username` names. */
export async function userOption(service: Accounts, context: CommandContext): Promise<Account> {
  const name = textOption(context, 'username');
  const account = name ? await service.byName(name) : undefined;
  if (!account || account.kind !== 'user') throw NotFound(`User ${name ?? ''} does not exist.`);
  return account;
}

/** What an option with `<yes|no>` says; undefined: it was left out. */
export function yesOrNo(context: CommandContext, name: string): boolean | undefined {
  const value = textOption(context, name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value === 'yes' || value === 'true') return true;
  if (value === 'no' || value === 'false') return false;
  throw Invalid(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} takes yes or no.`);
}

/** A whole number; undefined: it was left out. */
export function wholeNumber(context: CommandContext, name: string, least = 0): number | undefined {
  const value = textOption(context, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^-?\d{1,10}$/.test(value) || number < least || number > 2_000_000_000)
    throw Invalid(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} takes a whole number.`);
  return number;
}

/** The authentication source that `--source-id` names; 0: this site; undefined: it was left out. */
export async function sourceIdOption(sources: LoginSources, context: CommandContext): Promise<number | undefined> {
  const id = wholeNumber(context, 'sourceId');
  if (id && !(await sources.byId(id))) throw Invalid(`Authentication source ${id} does not exist.`);
  return id;
}

/** A line of a list: what would break it is written out. */
export const listLine = (...cells: readonly unknown[]): string =>
  cells.map((cell) => String(cell).replace(/[\t\r\n]+/g, ' ')).join('\t');
