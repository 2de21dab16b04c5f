import { createHash } from 'node:crypto';
import {
  BadRequest,
  Conflict,
  Forbidden,
  isUniqueViolation,
  NotFound,
  Unauthorized,
  parseJsonObject,
  type Actor,
  type Database,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type {
  Package,
  PackageAccess,
  PackageAccessMode,
  PackageFile,
  PackageStore,
  PackageVersion,
} from '@mortise/packages/api';
import { LockRow } from '../models/lock.js';

export const type = 'terraform';
const fileName = 'tfstate';
const namePattern = /^[\w.][\w.-]{0,99}$/;
const maxLock = 16 * 1024;
const writing: ReadonlySet<PackageAccessMode> = new Set(['write', 'owner']);
const challenge = { headers: { 'www-authenticate': 'Basic realm="Mortise Package API"' } };

/** Somebody else holds the state; clients read who. */
export class Held extends Error {
  constructor(readonly info: string) {
    super('the state is locked');
  }
}

/** Stored metadata of a state. */
export interface StoredState {
  readonly lineage: string;
  readonly terraform_version?: string;
}

export interface StateDeps {
  readonly database: Database;
  readonly store: PackageStore;
  readonly access: PackageAccess;
}

export class States {
  constructor(private readonly deps: StateDeps) {}

  /**
   * States hold secrets: those of public owners too are for who has a part in them. Jobs may read packages unless their
   * workflow says otherwise, so of a job it takes the permission to write them.
   */
  async checkReader(owner: Account, actor: Actor): Promise<void> {
    if (actor.kind === 'task' && !writing.has(await this.deps.access.mode(actor, owner)))
      throw Forbidden('A job needs the permission "packages: write" to read states.');
    if (!(await this.deps.access.hasPart(actor, owner)))
      throw Unauthorized('States are for those alone who have a part in their owner.', challenge);
  }

  private async find(owner: Account, name: string): Promise<Package> {
    const state = checkedName(name) && (await this.deps.store.find(owner.id, type, name));
    if (!state) throw NotFound('state');
    return state;
  }

  private async version(package_: Package, serial: string | undefined): Promise<PackageVersion> {
    const found =
      serial === undefined
        ? await this.deps.store.latest(package_.id)
        : await this.deps.store.findVersion(package_.id, serial);
    if (!found) throw NotFound('state');
    return found;
  }

  /** The newest, or that of a serial. */
  async file(owner: Account, name: string, serial?: string): Promise<PackageFile> {
    const { id } = await this.version(await this.find(owner, name), serial);
    const file = await this.deps.store.findFile(id, fileName);
    if (!file) throw NotFound('state');
    return file;
  }

  async write(owner: Account, actor: Actor, name: string, content: Buffer, request: StateWrite): Promise<void> {
    if (!checkedName(name)) throw BadRequest('The name of the state is invalid.');
    const { serial, stored } = readState(content, request.md5);
    this.checkSize(content, actor);
    const blob = await this.deps.store.receive(type, content, actor, content.length);
    await this.deps.store.publish({
      owner,
      actor,
      type,
      name,
      version: String(serial),
      metadata: { ...stored },
      files: [{ name: fileName, blob }],
      within: () => this.checkLock(owner, name, request.lockId),
    });
  }

  /** States have a limit by another name than modules and providers. */
  private checkSize(content: Buffer, actor: Actor): void {
    const limit = this.deps.store.sizeLimit('terraform_state', actor);
    if (limit >= 0 && content.length > limit) throw Forbidden('maximum allowed package type size exceeded');
  }

  async delete(owner: Account, actor: Actor, name: string, lockId: string | undefined): Promise<void> {
    const package_ = await this.find(owner, name);
    await this.version(package_, undefined);
    await this.deps.database.write(async () => {
      // the rows in the order of write(): first those of the package, then that of the lock
      await this.deps.store.deletePackage(package_, actor);
      await this.checkLock(owner, name, lockId);
    });
  }

  /** The newest stays: it is what the next plan begins with. */
  async deleteSerial(owner: Account, actor: Actor, name: string, serial: string): Promise<void> {
    const package_ = await this.find(owner, name);
    const version = await this.version(package_, serial);
    await this.deps.database.write(async () => {
      const latest = await this.deps.store.latest(package_.id);
      if (latest?.id === version.id) throw Forbidden('the latest state cannot be deleted');
      await this.deps.store.deleteVersion(package_, version, actor);
    });
  }

  /** By the API or a page: what is locked stays, and the newest serial with the state. */
  async checkDeletion({ id, ownerId, lowerName }: Package, version: PackageVersion | undefined): Promise<void> {
    if (!isState(lowerName)) return;
    const where = { owner_id: ownerId, lower_name: lowerName };
    if (await this.deps.database.query(LockRow).findOne(where).forUpdate()) throw Conflict('the state is locked');
    if (version && (await this.deps.store.latest(id))?.id === version.id)
      throw Forbidden('the latest state cannot be deleted');
  }

  private where(owner: Account, name: string) {
    return { owner_id: owner.id, lower_name: name.toLowerCase() };
  }

  /** In a transaction; blocks locks of the state until its end. */
  private async checkLock(owner: Account, name: string, lockId: string | undefined): Promise<void> {
    const row = await this.deps.database.query(LockRow).findOne(this.where(owner, name)).forUpdate();
    if (row && row.lock_id !== lockId) throw new Held(row.info);
  }

  async lock(owner: Account, name: string, content: Buffer): Promise<void> {
    if (!checkedName(name)) throw BadRequest('The name of the state is invalid.');
    const info = readLock(content);
    if (!info) throw BadRequest('The lock has no ID.');
    const where = this.where(owner, name);
    const row = { ...where, lock_id: info.id, info: info.text, created_at: Date.now() };
    const attempt = () =>
      this.deps.database.write(async () => {
        const before = await this.deps.database.query(LockRow).findOne(where).forUpdate();
        if (before) throw new Held(before.info);
        await this.deps.database.query(LockRow).insert(row);
      });
    // of two at the same moment, the second looks again and sees the first
    await attempt().catch((error: unknown) => {
      if (isUniqueViolation(error)) return attempt();
      throw error;
    });
  }

  /** Without an ID (a forced unlock) any user with write access releases the lock. */
  async unlock(owner: Account, name: string, content: Buffer): Promise<void> {
    const info = content.length > 0 ? readLock(content) : undefined;
    const where = this.where(owner, name);
    await this.deps.database.write(async () => {
      const row = await this.deps.database.query(LockRow).findOne(where).forUpdate();
      if (!row) return;
      if (info && row.lock_id !== info.id) throw new Held(row.info);
      await this.deps.database.query(LockRow).delete().where('id', row.id);
    });
  }

  async forget(ownerId: number): Promise<void> {
    await this.deps.database.query(LockRow).delete().where('owner_id', ownerId);
  }
}

interface StateWrite {
  readonly lockId: string | undefined;
  /** Base64, as the client sends it. */
  readonly md5: string | undefined;
}

/** Modules and providers have a slash in their names. */
export const isState = (lowerName: string): boolean => !lowerName.includes('/');

const checkedName = (name: string): boolean => namePattern.test(name) && !/^\.+$/.test(name);

function parsed(content: Buffer): Readonly<Record<string, unknown>> {
  const value = parseJsonObject(content);
  if (!value) throw BadRequest('The content is no JSON object.');
  return value;
}

function readState(content: Buffer, md5: string | undefined): { serial: number; stored: StoredState } {
  if (md5 !== undefined && createHash('md5').update(content).digest('base64') !== md5)
    throw BadRequest('The content is not what Content-MD5 says.');
  const { serial, lineage, terraform_version: version } = parsed(content);
  if (typeof serial !== 'number' || !Number.isSafeInteger(serial) || serial < 1)
    throw BadRequest('The state has no serial.');
  if (typeof lineage !== 'string' || lineage === '' || lineage.length > 200)
    throw BadRequest('The state has no lineage.');
  return {
    serial,
    stored: { lineage, ...(typeof version === 'string' && { terraform_version: version.slice(0, 50) }) },
  };
}

function readLock(content: Buffer): { id: string; text: string } | undefined {
  if (content.length > maxLock) throw BadRequest('The lock is too long.');
  const { ID: id } = parsed(content);
  if (typeof id !== 'string' || id === '' || id.length > 200) throw BadRequest('The lock has no ID.');
  return { id, text: content.toString('utf8') };
}
