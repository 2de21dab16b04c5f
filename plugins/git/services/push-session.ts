/** One push: talks with the hook of `git receive-pack` over two inherited descriptors. */
import { randomBytes } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { englishOf, Invalid, Problem } from '@mortise/plugin-sdk';
import {
  isRefName,
  isZeroOid,
  zeroOid,
  type ReceivedRef,
  type ReceivePoint,
  type RefChange,
  type RefsUpdated,
  type RefUpdate,
  type RefUpdates,
} from '../api.js';
import type { PushSession } from '../contract/references.js';
import type { RefGate } from './ref-gate.js';
import type { ChangeEntry } from './journal.js';
import { withConfiguration } from './environment.js';
import { parsePushOptions, type HookCall } from './hook-script.js';
import { t } from '../texts/index.js';

/** With more bad names than that git asks about all new references instead. */
const maxQueried = 100;

/** git asks about references of this name and below it: those that are made, also those that move, or all. */
interface Asked {
  readonly prefix: string;
  readonly changes: 'a' | 'am' | 'all';
}

export class HookSession implements PushSession {
  readonly environment: Readonly<Record<string, string>>;
  private readonly nonce = randomBytes(16).toString('hex');
  private entry: ChangeEntry | undefined;
  private change: RefChange | undefined;
  private result: RefsUpdated | undefined;
  private work: Promise<void> = Promise.resolve();
  private down: Writable | undefined;
  /** Bad names, or all new ones where nobody knows which will come; and what receive points take. */
  private readonly asked: readonly Asked[];
  private updates: readonly RefUpdate[] = [];
  /** What receive points are told; its updates are theirs. */
  private received: RefChange | undefined;
  /** Where the repository lies for git: what is pushed arrives there. */
  private readonly place: string;

  constructor(
    private readonly gate: RefGate,
    private readonly push: Parameters<RefUpdates['openPush']>[0],
  ) {
    this.place = this.placeNow();
    const bad = push.refs?.filter((ref) => gate.refusedPush(made(ref), this.kind) && isReadable(ref));
    const prefixes = this.kind === 'code' ? gate.deps.receivers.list().flatMap((point) => point.prefixes) : [];
    this.asked = [
      ...(bad && bad.length <= maxQueried
        ? bad.map((prefix) => ({ prefix, changes: 'am' as const }))
        : [{ prefix: 'refs', changes: 'a' as const }]),
      ...prefixes.map((prefix) => ({ prefix: prefix.replace(/\/+$/, ''), changes: 'all' as const })),
    ];
    const asked = this.asked.map(
      ({ prefix, changes }) =>
        ['receive.procReceiveRefs', changes === 'all' ? prefix : `${changes}:${prefix}`] as const,
    );
    this.environment = {
      ...(asked.length ? withConfiguration(gate.deps.runner.environment, asked) : {}),
      MORTISE_NONCE: this.nonce,
    };
  }

  attach(up: Readable, down: Writable): void {
    this.down = down;
    down.on('error', () => undefined);
    up.on('error', () => undefined);
    const chunks: Buffer[] = [];
    const end = Buffer.from(`${this.nonce} end\n`);
    up.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      // the end comes last, so only the tail needs a look
      const tail = chunk.length >= end.length ? chunk : Buffer.concat(chunks.slice(-8));
      if (!tail.subarray(-end.length).equals(end) && !Buffer.concat(chunks).subarray(-end.length).equals(end)) return;
      const call = this.parse(Buffer.concat(chunks.splice(0)).toString('utf8'));
      this.work = this.work.then(() => this.answer(call)).catch((error: unknown) => this.refuse(error));
    });
  }

  async finish(): Promise<RefsUpdated | undefined> {
    await this.work;
    const entry = this.entry;
    if (!entry) return this.result;
    // git was killed, or could not run the second hook: look what has moved
    this.entry = undefined;
    const moved = await this.gate.recovery.completedOf(entry).catch((error: unknown) => {
      this.gate.journal.abandon(entry);
      throw error;
    });
    if (moved.length) this.result = await this.complete(entry, moved);
    else {
      await this.gate.deps.fingerprints.changed(this.folder);
      await this.gate.journal.end(entry);
    }
    return this.result;
  }

  /** References have moved; where the event cannot be stored now it will be as soon as the database answers. */
  private async complete(entry: ChangeEntry, moved: readonly RefUpdate[]): Promise<RefsUpdated | undefined> {
    try {
      return await this.gate.settle(entry, moved);
    } catch (error) {
      this.gate.journal.abandon(entry);
      this.gate.deps.log.error('refs were updated, but their follow-up is pending', {
        event: 'git.refs.pending',
        repositoryId: entry.repositoryId,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      return undefined;
    }
  }

  private get kind() {
    return this.push.kind ?? 'code';
  }

  private get folder(): string {
    return this.gate.deps.store.path(this.push.repositoryId, this.kind);
  }

  private parse(text: string): HookCall {
    const call: HookCall = { hook: '', environment: {}, options: [], updates: [] };
    let hook = '';
    for (const line of text.split('\n')) {
      if (!line.startsWith(`${this.nonce} `)) {
        const match = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (.+)$/.exec(line);
        if (match) call.updates.push({ old: match[1] as string, new: match[2] as string, ref: match[3] as string });
        continue;
      }
      const stderr = line.slice(this.nonce.length + 1);
      const variable = /^(GIT_[A-Z_]+)=(.*)$/.exec(stderr);
      if (stderr.startsWith('begin ')) hook = stderr.slice(6);
      else if (stderr.startsWith('option ')) call.options.push(stderr.slice(7));
      else if (variable?.[2]) call.environment[variable[1] as string] = this.absolute(variable[2]);
    }
    return { ...call, hook };
  }

  private absolute(path: string): string {
    return path
      .split(':')
      .map((one) => (isAbsolute(one) ? one : join(this.folder, one)))
      .join(':');
  }

  private async answer(call: HookCall): Promise<void> {
    if (call.hook === 'pre-receive') await this.before(call);
    else if (call.hook === 'proc-receive') await this.report();
    else await this.after(call);
  }

  private async before(call: HookCall): Promise<void> {
    this.updates = call.updates;
    const taken = call.updates.filter((update) => this.gate.receiverOf(update, this.kind));
    const change: RefChange = {
      repositoryId: this.push.repositoryId,
      kind: this.kind,
      updates: call.updates.filter((update) => !taken.includes(update) && !this.gate.refusedPush(update, this.kind)),
      pusher: this.push.pusher,
      pushOptions: parsePushOptions(call.options),
      pushOptionList: call.options,
      source: this.push.source,
      facts: this.push.facts,
      quarantine: call.environment,
    };
    await this.push.before?.(change, { onlyReceived: taken.length > 0 && taken.length === call.updates.length });
    this.checkNames(taken);
    const received = { ...change, updates: taken };
    for (const update of taken) await this.gate.receiverOf(update, this.kind)?.check?.(received, update);
    await this.gate.check(change, taken);
    this.received = { ...received, quarantine: undefined };
    if (!change.updates.length) return this.say('accept');
    this.change = { ...change, quarantine: undefined };
    this.entry = await this.gate.begin(this.change, { isAtomic: this.push.isAtomic === true });
    if (this.isElsewhere()) {
      await this.gate.journal.end(this.entry);
      this.entry = undefined;
      throw new Problem('unavailable', t.later('error.movedMeanwhile'));
    }
    await this.gate.deps.fingerprints.changing(this.folder);
    this.say('accept');
  }

  /** What git does not ask about is refused here, with the whole push. */
  private checkNames(taken: readonly RefUpdate[]): void {
    for (const update of this.updates) {
      const reason = this.push.isAtomic || !this.isAsked(update) ? this.gate.refusedPush(update, this.kind) : undefined;
      if (reason) throw Invalid(reason);
    }
    const odd = taken.find(({ ref }) => !isReadable(ref) || !isRefName(ref));
    if (odd) throw Invalid(t.later('error.refName', { ref: odd.ref.slice(0, 100) }));
  }

  private isAsked({ ref, old, new: next }: RefUpdate): boolean {
    if (!isReadable(ref)) return false;
    const change = isZeroOid(next) ? 'd' : isZeroOid(old) ? 'a' : 'm';
    return this.asked.some(
      ({ prefix, changes }) =>
        (changes === 'all' || changes.includes(change)) && (ref === prefix || ref.startsWith(`${prefix}/`)),
    );
  }

  /**
   * Bad names are refused each for itself, receive points say what has become of theirs, and the rest goes the way of
   * every push (githooks, proc-receive).
   */
  private async report(): Promise<void> {
    const say = (line: string) => this.say(`report ${packetStart(line)}${line}`);
    say('version=1');
    this.say('flush');
    let refusal = this.isElsewhere()
      ? englishOf(t.later('error.movedMeanwhile'))
      : this.push.isAtomic
        ? await this.movedMeanwhile()
        : undefined;
    for (const update of this.updates) {
      // what is no name at all would be read as another; git refuses what is not reported
      if (!this.isAsked(update) || !isRefName(update.ref)) continue;
      const receiver = this.gate.receiverOf(update, this.kind);
      if (!receiver) {
        const reason = this.gate.refusedPush(update, this.kind);
        say(reason ? `ng ${update.ref} ${englishOf(reason)}` : `ok ${update.ref}`);
        if (!reason) say('option fall-through');
        continue;
      }
      const result = refusal ? { ok: false as const, message: refusal } : await this.receive(receiver, update);
      for (const line of reportOf(update, result)) say(line);
      for (const line of linesOf(result)) this.say(`say ${line}`);
      if (!result.ok && this.push.isAtomic) refusal ??= 'atomic push failed';
    }
    // a receive point has moved references, and git is about to move more
    if (this.entry) await this.gate.deps.fingerprints.changing(this.folder);
    this.say('flush');
    this.say('accept');
  }

  private placeNow(): string {
    return this.gate.deps.store.storages.linkOf(this.folder);
  }

  /** The repository was moved to another storage after git had begun. */
  private isElsewhere(): boolean {
    return this.placeNow() !== this.place;
  }

  /** Receive points come before git looks where references are, and what they do is not taken back. */
  private async movedMeanwhile(): Promise<string | undefined> {
    const repository = this.gate.deps.reader.open(this.push.repositoryId, this.kind);
    for (const { ref, old } of this.change?.updates ?? [])
      if (((await repository.ref(ref))?.oid ?? '') !== (isZeroOid(old) ? '' : old)) return 'atomic push failed';
    return undefined;
  }

  private async receive(receiver: ReceivePoint, update: RefUpdate): Promise<ReceivedRef> {
    try {
      return await receiver.receive(this.received as RefChange, update);
    } catch (error) {
      if (Problem.is(error)) return { ok: false, message: error.message };
      this.failed(error);
      return { ok: false, message: 'The server failed. Please try again in a moment.' };
    }
  }

  private async after(call: HookCall): Promise<void> {
    const entry = this.entry;
    if (!entry || !this.change) return this.say('accept');
    const own = new Set(this.change.updates.map(({ ref }) => ref));
    // git also tells what receive points have moved, which they have told themselves
    const moved = call.updates.filter(({ ref }) => own.has(ref));
    if (moved.length) {
      this.entry = undefined;
      this.result = await this.complete(entry, moved);
      if (!this.result) {
        this.say('say Your changes are stored. Pages, webhooks and the like follow as soon as the server can.');
        return this.say('accept');
      }
      const change = { ...this.change, updates: moved };
      for (const hint of this.gate.deps.hints.list()) {
        for (const line of await hint.lines(change).catch(() => [])) this.say(`say ${oneLine(line)}`);
      }
    }
    this.say('accept');
  }

  private refuse(error: unknown): void {
    if (Problem.is(error)) {
      for (const line of error.message.split('\n')) this.say(`say ${oneLine(line)}`);
    } else {
      this.failed(error);
      this.say('say The server failed, and nothing was changed. Please try again in a moment.');
    }
    this.say('refuse');
  }

  private failed(error: unknown): void {
    this.gate.deps.log.error('a push failed', {
      event: 'git.push',
      repositoryId: this.push.repositoryId,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }

  private say(line: string): void {
    this.down?.write(`${line}\n`);
  }
}

/** Length of a packet of the line and its end, with these four digits (gitprotocol-common). */
const packetStart = (line: string) => (Buffer.byteLength(line) + 5).toString(16).padStart(4, '0');

const maxMessage = 1000;

/** What git is told of a reference that a receive point took. */
function reportOf(update: RefUpdate, result: ReceivedRef): string[] {
  if (!result.ok)
    return [`ng ${update.ref} ${oneLine(result.message.split('\n')[0] || 'refused').slice(0, maxMessage)}`];
  return [
    `ok ${update.ref}`,
    ...(result.ref ? [`option refname ${result.ref}`] : []),
    ...(result.old ? [`option old-oid ${result.old}`] : []),
    ...(result.new ? [`option new-oid ${result.new}`] : []),
    ...(result.isForced ? ['option forced-update'] : []),
  ];
}

/** What the pusher reads; of a refusal its first line stands beside the reference. */
const linesOf = ({ ok, message = '' }: ReceivedRef): string[] =>
  message
    .split('\n')
    .slice(ok ? 0 : 1)
    .filter((line, index, all) => line || index < all.length - 1)
    .map((line) => oneLine(line).slice(0, maxMessage));

/** As it would be when it were new. */
const made = (ref: string): RefUpdate => ({ ref, old: zeroOid, new: 'f'.repeat(40) });

/** What is not UTF-8 cannot be given back to git as it was; where it has a bad name the whole push is refused. */
const isReadable = (ref: string) => !ref.includes('\ufffd');

const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f]/g, ' ');
