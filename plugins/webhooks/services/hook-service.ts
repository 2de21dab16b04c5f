import {
  actAudited,
  Invalid,
  NotFound,
  type Actor,
  type Database,
  type Events,
  apiTime,
  type Text,
  type Encryption,
} from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type { ApiHook, CreateHookOption, EditHookOption, Hook, HookLevels, HookOwner } from '../contract/webhooks.js';
import { DeliveryRow } from '../models/delivery.js';
import { HookRow, toHook } from '../models/hook.js';
import { t } from '../texts/index.js';
import { changedAddress, splitAddress, withoutPassword } from './hook-address.js';
import {
  checkPasswordsGiven,
  checkSettings,
  decryptSettings,
  encryptSettings,
  publicSettings,
} from './kind-settings.js';
import { checkBranchFilter } from './branch-filter.js';
import type { EventNames } from './event-names.js';
import type { Kinds } from './webhook-kinds.js';

const owners = (hookOwner: HookOwner | readonly HookOwner[]): readonly HookOwner[] =>
  'ownerKind' in hookOwner ? [hookOwner] : hookOwner;
const maxLength = { name: 255, url: 4096, secret: 1024, authorization: 4096 };

/** Hooks of any level (HOK-01 … HOK-04, HOK-26, HOK-27). */
export class HookService implements HookLevels {
  constructor(
    private readonly database: Database,
    private readonly kinds: Kinds,
    private readonly names: EventNames,
    private readonly encryption: Encryption,
    private readonly events: Events,
  ) {}

  private at(hookOwner: HookOwner | readonly HookOwner[]) {
    return this.database.query(HookRow).where((any) => {
      for (const { ownerKind, ownerId } of owners(hookOwner))
        void any.orWhere({ owner_kind: ownerKind, owner_id: ownerId });
    });
  }

  async list(
    hookOwner: HookOwner | readonly HookOwner[],
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ items: Hook[]; total: number }> {
    const total = await this.at(hookOwner).resultSize();
    const rows = await this.at(hookOwner).orderBy('id').limit(limit).offset(offset);
    return { items: rows.map(toHook), total };
  }

  async get(hookOwner: HookOwner | readonly HookOwner[], id: number): Promise<Hook> {
    const row = await this.at(hookOwner).findById(id);
    if (!row) throw NotFound('webhook');
    return toHook(row);
  }

  async create(hookOwner: HookOwner, option: CreateHookOption, actor: Actor): Promise<Hook> {
    const row = { ...this.#newRow(hookOwner, option), creator_id: actor.kind === 'user' ? actor.id : 0 };
    return this.database.write(async () => {
      const hook = toHook(await this.database.query(HookRow).insertAndFetch(row));
      await this.#audit('create', hook);
      return hook;
    });
  }

  /** As it would be made, or changed, without storing anything; refuses what that would. With its settings readable. */
  draft(hookOwner: HookOwner, option: CreateHookOption, hook?: Hook): { readonly hook: Hook; readonly secret: string } {
    const kind = this.kinds.need(option.type);
    const before = hook ? decryptSettings(this.encryption, kind, hook.settings) : {};
    const config = { ...before, ...(hook && { url: hook.url }), ...option.config };
    const row = this.#newRow(hookOwner, { ...option, config });
    const made = toHook({ ...row, id: hook?.id ?? 0, previous_secret: null, previous_until: 0 } as HookRow);
    return {
      hook: { ...made, settings: decryptSettings(this.encryption, kind, made.settings) },
      secret: this.encryption.decrypt(row.secret),
    };
  }

  #newRow(hookOwner: HookOwner, option: CreateHookOption) {
    const kind = this.kinds.need(option.type);
    const config = option.config ?? {};
    const settings = checkSettings(kind, config);
    const address = splitAddress(checkUrl(kind.address ? kind.address(settings, config.url) : config.url));
    const now = Date.now();
    const row = {
      owner_kind: hookOwner.ownerKind,
      owner_id: hookOwner.ownerId,
      kind: option.type,
      name: checkName(option.name ?? ''),
      url: address.url,
      url_password: this.encryption.encrypt(address.password),
      method: checkMethod(config.http_method),
      content_type: checkContentType(config.content_type),
      events: this.names.normalize(option.events),
      branch_filter: option.branch_filter ?? '',
      secret: this.encryption.encrypt(bounded('secret', config.secret ?? '')),
      authorization: this.encryption.encrypt(bounded('authorization', option.authorization_header ?? '')),
      settings: encryptSettings(this.encryption, kind, settings),
      active: option.active ?? false,
      last_status: 'none' as const,
      failing_since: 0,
      creator_id: 0,
      creator_left_at: 0,
      created_at: now,
      updated_at: now,
    };
    checkBranchFilter(row.branch_filter);
    return row;
  }

  /** What is not given stays, but for events and branch filter: absent means the default, as clients expect (HOK-24). */
  async edit(hook: Hook, option: EditHookOption): Promise<Hook> {
    const kind = this.kinds.need(hook.kind);
    const config = option.config ?? {};
    const before = decryptSettings(this.encryption, kind, hook.settings);
    const merged = kind.merge?.(before, config) ?? { ...before, ...config };
    const settings = { ...before, ...checkSettings(kind, merged) };
    const patch: Partial<HookRow> = {
      events: this.names.normalize(option.events),
      branch_filter: option.branch_filter ?? '',
      settings: encryptSettings(this.encryption, kind, settings),
      // the user who saves it takes responsibility for it
      ...(hook.creatorLeftAt && { creator_id: 0, creator_left_at: 0 }),
      updated_at: Date.now(),
    };
    checkBranchFilter(patch.branch_filter!);
    if (typeof option.name === 'string') patch.name = checkName(option.name);
    if (typeof option.active === 'boolean') patch.active = option.active;
    const url = kind.address ? kind.address(settings, config.url ?? hook.url) : config.url;
    const address = url === undefined ? undefined : checkUrl(url);
    if (address !== undefined && new URL(address).origin !== new URL(hook.url).origin) {
      checkPasswordsGiven(kind, before, config);
      checkSecretsGiven(hook, option);
    }
    if (config.content_type !== undefined) patch.content_type = checkContentType(config.content_type);
    if (config.http_method !== undefined) patch.method = checkMethod(config.http_method);
    if (config.secret !== undefined) {
      patch.secret = this.encryption.encrypt(bounded('secret', config.secret));
      // one that is taken away, or replaced at once, counts no more
      Object.assign(patch, { previous_secret: null, previous_until: 0 });
    }
    const overlap = overlapOf(config);
    if (typeof option.authorization_header === 'string')
      patch.authorization = this.encryption.encrypt(bounded('authorization', option.authorization_header));
    return this.database.write(async () => {
      if (address !== undefined) Object.assign(patch, await this.addressPatch(hook.id, address));
      if (overlap && config.secret) Object.assign(patch, await this.#previousPatch(hook.id, config.secret, overlap));
      const changed = await this.database.query(HookRow).patch(patch).where('id', hook.id);
      if (!changed) throw NotFound('webhook');
      const edited = toHook((await this.database.query(HookRow).findById(hook.id))!);
      await this.#audit('edit', edited);
      return edited;
    });
  }

  /** The secret that is replaced counts for so many hours more. */
  async #previousPatch(id: number, secret: string, hours: number): Promise<Partial<HookRow>> {
    const row = await this.database.query(HookRow).findById(id);
    if (!row?.secret || this.encryption.decrypt(row.secret) === secret) return {};
    return { previous_secret: row.secret, previous_until: Date.now() + hours * 3_600_000 };
  }

  private async addressPatch(id: number, url: string): Promise<Pick<HookRow, 'url' | 'url_password'>> {
    const row = await this.database.query(HookRow).findById(id);
    if (!row) throw NotFound('webhook');
    const changed = changedAddress(url, { url: row.url, password: this.encryption.decrypt(row.url_password) });
    return { url: changed.url, url_password: this.encryption.encrypt(changed.password) };
  }

  /** Encrypts passwords that an earlier version stored in the addresses, and takes them out of the history. */
  async hidePasswords(): Promise<void> {
    const rows = await this.database.query(HookRow).where('url', 'like', '%://%:%@%').where('url_password', '');
    for (const row of rows) {
      const { url, password } = splitAddress(row.url);
      if (!password) continue;
      await this.database.write(async () => {
        await this.database
          .query(HookRow)
          .patch({ url, url_password: this.encryption.encrypt(password) })
          .where('id', row.id);
        const sent = await this.database.query(DeliveryRow).where('hook_id', row.id).whereNotNull('request');
        for (const { id, request } of sent)
          await this.database
            .query(DeliveryRow)
            .patch({ request: { ...request!, url: splitAddress(request!.url).url } })
            .where('id', id);
      });
    }
  }

  async delete(hook: Hook): Promise<void> {
    await this.database.write(async () => {
      // deliveries go with it (foreign key)
      const gone = await this.database.query(HookRow).delete().where('id', hook.id);
      if (!gone) throw NotFound('webhook');
      await this.#audit('delete', hook);
    });
  }

  /** Of the address only the host: with some receivers the rest of it is a secret. */
  #audit(verb: 'create' | 'edit' | 'delete', { id, name, url, ownerKind, ownerId, active }: Hook): Promise<void> {
    const { host } = new URL(url);
    return this.events.emit(actAudited, {
      action: `webhook.${verb}`,
      target: { kind: 'webhook', id, name: name || host },
      ...(ownerKind === 'repository' ? { repositoryId: ownerId } : ownerId ? { ownerId } : {}),
      details: { host, active, level: ownerKind },
    });
  }

  async deleteAll({ ownerKind, ownerId }: HookOwner): Promise<void> {
    await this.database.write(async () => {
      await this.database.query(HookRow).delete().where({ owner_kind: ownerKind, owner_id: ownerId });
    });
  }

  /**
   * For a new repository. `secrets: false`: without what only those who made the hooks know, and so without hooks that are
   * nothing without.
   */
  async copy(from: HookOwner, to: Repository, { secrets = true }: { readonly secrets?: boolean } = {}): Promise<void> {
    await this.database.write(async () => {
      const rows = await this.database
        .query(HookRow)
        .where({ owner_kind: from.ownerKind, owner_id: from.ownerId })
        .orderBy('id');
      const now = Date.now();
      for (const row of rows) {
        if (!secrets && !this.kinds.find(row.kind)?.signed && Object.keys(row.settings).length) continue;
        const { id: _id, ...rest } = row.toJSON() as unknown as HookRow;
        await this.database.query(HookRow).insert({
          ...rest,
          previous_secret: null,
          previous_until: 0,
          ...(secrets ? {} : { secret: '', authorization: '', url: withoutPassword(row.url), url_password: '' }),
          owner_kind: 'repository',
          owner_id: to.id,
          last_status: 'none',
          failing_since: 0,
          // as old as their repository: they hear that it was created
          created_at: Math.min(now, to.createdAt),
          updated_at: now,
        });
      }
    });
  }

  /** The secret never leaves; the header only says that it is there, by nothing (HOK-04, org-hooks). */
  toApi(hook: Hook): ApiHook {
    return {
      id: hook.id,
      type: hook.kind,
      name: hook.name,
      branch_filter: hook.branchFilter,
      config: {
        ...publicSettings(this.kinds.find(hook.kind), hook.settings),
        ...(hook.previousUntil > Date.now() && { secret_overlap_until: apiTime(hook.previousUntil) }),
        url: hook.url,
        content_type: hook.contentType,
      },
      events: this.names.named(hook.events),
      authorization_header: '',
      active: hook.active,
      updated_at: apiTime(hook.updatedAt),
      created_at: apiTime(hook.createdAt),
    };
  }
}

/** A problem shown at a field of the form. */
const at = (field: string, text: Text) => ({ text, inputs: { [field]: text } });

function bounded(what: 'secret' | 'authorization', text: unknown): string {
  if (typeof text !== 'string') throw Invalid(`${what} must be a string.`);
  if (text.length > maxLength[what] || /[\u0000-\u001f\u007f]/.test(text))
    throw Invalid(
      `${what} is too long or contains control characters.`,
      at(what === 'authorization' ? 'authorization_header' : what, t.later(`error.${what}`)),
    );
  return text;
}

/** For another host: what is sent or signed with is entered again, as passwords are. */
function checkSecretsGiven(
  { hasSecret, hasAuthorization }: Hook,
  { config, authorization_header }: EditHookOption,
): void {
  if (hasAuthorization && typeof authorization_header !== 'string')
    throw Invalid(
      'config.url has another host than before. Enter authorization_header again.',
      at('authorization_header', t.later('error.authorizationAgain')),
    );
  if (hasSecret && config?.secret === undefined)
    throw Invalid(
      'config.url has another host than before. Enter config.secret again.',
      at('secret', t.later('error.secretAgain')),
    );
}

const maxOverlapHours = 720;

/** `config.secret_overlap_hours`: how long the secret before counts too; 0: not at all. */
function overlapOf(config: Readonly<Record<string, unknown>>): number {
  const hours = Number(config.secret_overlap_hours || 0);
  if (!Number.isInteger(hours) || hours < 0 || hours > maxOverlapHours)
    throw Invalid(
      `config.secret_overlap_hours must be a number from 0 to ${maxOverlapHours}.`,
      at('secret_overlap_hours', t.later('error.overlap', { limit: maxOverlapHours })),
    );
  return hours;
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length > maxLength.name)
    throw Invalid('name can have at most 255 characters.', at('name', t.later('error.nameLong')));
  return trimmed;
}

function checkUrl(url: unknown): string {
  if (typeof url !== 'string' || url.trim() === '')
    throw Invalid('config.url is required.', at('url', t.later('error.urlRequired')));
  const text = url.trim();
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  // An address parser passes over line ends, and shows another address than was given.
  if (/[\u0000-\u0020\u007f]/.test(text))
    throw Invalid(
      'config.url must not contain spaces or control characters.',
      at('url', t.later('error.urlCharacters')),
    );
  if (!parsed || !/^https?:$/.test(parsed.protocol) || !parsed.hostname || text.length > maxLength.url)
    throw Invalid('config.url must be an http or https URL.', at('url', t.later('error.url')));
  return text;
}

function checkContentType(type: unknown): 'json' | 'form' {
  if (type !== 'json' && type !== 'form')
    throw Invalid('config.content_type must be json or form.', at('content_type', t.later('error.contentType')));
  return type;
}

function checkMethod(method: unknown): 'POST' | 'GET' | 'PUT' {
  const text = typeof method === 'string' && method !== '' ? method.toUpperCase() : 'POST';
  if (text !== 'POST' && text !== 'GET' && text !== 'PUT')
    throw Invalid('config.http_method must be POST, PUT or GET', { text: t.later('error.method') });
  return text;
}
