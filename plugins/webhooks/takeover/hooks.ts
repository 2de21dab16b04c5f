import {
  isJsonObject,
  skippedRow,
  targetRow,
  type Encryption,
  type SourceRow,
  type TakeoverContext,
  type TableMapping,
} from '@mortise/plugin-sdk';
import type { HookOwnerKind } from '../contract/webhooks.js';
import { HookRow } from '../models/hook.js';
import { EventNames, everyEvent } from '../services/event-names.js';
import { splitAddress } from '../services/hook-address.js';
import { encryptSettings } from '../services/kind-settings.js';
import type { Kinds } from '../services/webhook-kinds.js';

export interface HookTakeoverDeps {
  readonly encryption: Encryption;
  readonly kinds: Kinds;
  readonly names: EventNames;
}

type Fields = Readonly<Record<string, unknown>>;

/** Empty where the value is no object. */
export const recordOf = (value: unknown): Fields => (isJsonObject(value) ? value : {});
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const branchFilterOf = (row: SourceRow): string => textOf(recordOf(row.json('events')).branch_filter);

/** Each event is named for itself there, whether it is chosen or not: `issues` means no other one. */
function eventsOf(row: SourceRow, names: EventNames): string[] {
  const { push_only, send_everything, events } = recordOf(row.json('events'));
  if (send_everything === true) return [everyEvent];
  if (push_only === true) return ['push'];
  const chosen = Object.entries(recordOf(events)).flatMap(([name, isChosen]) => (isChosen === true ? [name] : []));
  // none at all would mean pushes
  if (chosen.length === 0) return [];
  // versions before 2020, which have no hooks of the system, mean by these words what the API means by them
  if (!row.has('is_system_webhook') && !Object.hasOwn(recordOf(events), 'issue_assign')) return names.normalize(chosen);
  return names.normalize(chosen.map((name) => (name === 'issues' || name === 'pull_request' ? `${name}_only` : name)));
}

/** Settings of chats by the names that they have there. */
const renamedSettings: Readonly<Record<string, string>> = { homeserver_url: 'home_server' };
const matrixMessageTypes: Readonly<Record<string, string>> = { '1': 'm.notice', '2': 'm.text' };

/** `hook_task_type` of versions that had numbers for it, from 1 on. */
const numberedTypes = ['gogs', 'slack', 'gitea', 'discord', 'dingtalk', 'telegram', 'msteams', 'feishu', 'matrix'];
const gogsTypes = ['gogs', 'slack', 'discord', 'dingtalk'];

function typeOf(row: SourceRow, { isGogs }: TakeoverContext): string {
  const type = row.text('type') || row.text('hook_task_type');
  const names = isGogs ? gogsTypes : numberedTypes;
  return /^\d+$/.test(type) ? (names[Number(type) - 1] ?? type) : type || 'gitea';
}

/** Matrix is told its token there by the header of all hooks. */
function settingsOf(
  row: SourceRow,
  type: string,
  authorization: string,
): { settings: Record<string, string>; isToken: boolean } {
  const settings = Object.fromEntries(
    Object.entries(recordOf(row.json('meta'))).flatMap(([name, value]) => {
      const text = textOf(value);
      return text ? [[renamedSettings[name] ?? name, text]] : [];
    }),
  );
  if (type !== 'matrix') return { settings, isToken: false };
  const token = /^Bearer (.+)$/.exec(authorization)?.[1];
  const { message_type: messageType = '1' } = settings;
  return {
    settings: {
      ...settings,
      message_type: matrixMessageTypes[messageType] ?? messageType,
      ...(token && { access_token: token }),
    },
    isToken: token !== undefined,
  };
}

const methods = ['POST', 'GET', 'PUT'] as const;
const statuses = ['none', 'succeeded', 'failed'] as const;
const maxSecret = 1024;

function authorizationOf(row: SourceRow, context: TakeoverContext): string | undefined {
  const encrypted = row.text('header_authorization_encrypted');
  return encrypted ? context.decrypt(encrypted) : '';
}

const mapHook =
  (
    { encryption, kinds, names }: HookTakeoverDeps,
    ownerOf: (row: SourceRow) => { owner_kind: HookOwnerKind; owner_id: number },
  ) =>
  (row: SourceRow, context: TakeoverContext) => {
    const type = typeOf(row, context);
    const kind = kinds.find(type);
    if (!kind) return skippedRow(`there is no kind of webhook ${type} here`);
    if (!/^https?:\/\/[^\s]+$/i.test(row.text('url')) || !URL.canParse(row.text('url')))
      return skippedRow('its address is no http or https URL');
    const authorization = authorizationOf(row, context);
    if (authorization === undefined)
      return skippedRow('its authorization header cannot be decrypted with the SECRET_KEY');
    if (row.text('secret').length > maxSecret) return skippedRow('its secret is too long');
    const { url, password } = splitAddress(row.text('url'));
    const { settings, isToken } = settingsOf(row, type, authorization);
    return targetRow(HookRow, {
      id: row.number('id'),
      ...ownerOf(row),
      kind: type,
      name: row.text('name', 255),
      url,
      url_password: encryption.encrypt(password),
      method: methods.find((method) => method === row.text('http_method').toUpperCase()) ?? 'POST',
      content_type: row.number('content_type') === 2 ? 'form' : 'json',
      events: eventsOf(row, names),
      branch_filter: branchFilterOf(row),
      secret: encryption.encrypt(row.text('secret')),
      authorization: encryption.encrypt(isToken ? '' : authorization),
      settings: encryptSettings(encryption, kind, settings),
      active: row.flag('is_active'),
      last_status: statuses[row.number('last_status')] ?? 'none',
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    });
  };

/** Before users had hooks, those of organizations had a column of their own. */
const accountId = (row: SourceRow): number => row.number('owner_id') || row.number('org_id');

const ignored = ['signature', 'is_ssl', 'hook_id', 'is_system_webhook'];

/** Hooks of repositories, of accounts and of the site: what `owner_id` names differs. */
export const hookTables = (deps: HookTakeoverDeps): readonly TableMapping[] => [
  {
    id: 'webhooks.repository_hooks',
    table: 'webhook',
    idTable: HookRow,
    hasSecrets: true,
    ignored,
    references: { owner_id: 'repositories.repositories' },
    filter: (row) => row.number('repo_id') !== 0,
    map: mapHook(deps, (row) => ({ owner_kind: 'repository', owner_id: row.number('repo_id') })),
  },
  {
    id: 'webhooks.account_hooks',
    table: 'webhook',
    hasSecrets: true,
    references: { owner_id: 'accounts.users' },
    related: {
      owner: { table: 'user', column: 'id', localColumn: 'owner_id' },
    },
    filter: (row) => row.number('repo_id') === 0 && accountId(row) !== 0,
    map: mapHook(deps, (row) => {
      const isUser = row.number('owner_id') !== 0 && row.related('owner')[0]?.number('type') !== 1;
      return { owner_kind: isUser ? 'user' : 'organization', owner_id: accountId(row) };
    }),
  },
  {
    id: 'webhooks.site_hooks',
    table: 'webhook',
    hasSecrets: true,
    filter: (row) => row.number('repo_id') === 0 && accountId(row) === 0,
    map: mapHook(deps, (row) => ({ owner_kind: row.flag('is_system_webhook') ? 'system' : 'default', owner_id: 0 })),
  },
];
