/** One push: talks with the hook of `git receive-pack` over two inherited descriptors. */
import { randomBytes } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { englishOf, Invalid, Problem } from '@mortise/plugin-sdk';
import {
  isRefName,
  isZeroOid,
  zeroOid,
  type PushSession,
  type RefChange,
  type RefsUpdated,
  type RefUpdate,
  type RefUpdates,
} from '../api.js';
import type { RefGate } from './gate.js';
import type { ChangeEntry } from './journal.js';
import { withConfiguration } from './environment.js';

/**
 * All hooks: pass everything up on descriptor 3, then obey what comes down on 4. The nonce keeps pushers from forging
 * lines. git asks `proc-receive` about new references whose names may be refused one by one; it keeps the input of that
 * hook open, and says nothing in it that `pre-receive` has not heard.
 */
export const hookScript = `#!/bin/sh
[ -n "$MORTISE_NONCE" ] || { echo "changes are made through the server only" >&2; exit 1; }
case $0 in
  */proc-receive)
    exec 5<&0 </dev/null
    cat <&5 >/dev/null 2>&1 3>&- 4<&- &
    exec 5<&-
    ;;
esac
{
  printf '%s begin %s\\n' "$MORTISE_NONCE" "\${0##*/}"
  printf '%s GIT_QUARANTINE_PATH=%s\\n' "$MORTISE_NONCE" "$GIT_QUARANTINE_PATH"
  printf '%s GIT_OBJECT_DIRECTORY=%s\\n' "$MORTISE_NONCE" "$GIT_OBJECT_DIRECTORY"
  printf '%s GIT_ALTERNATE_OBJECT_DIRECTORIES=%s\\n' "$MORTISE_NONCE" "$GIT_ALTERNATE_OBJECT_DIRECTORIES"
  i=0
  while [ "$i" -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ]; do
    eval "option=\\$GIT_PUSH_OPTION_$i"
    printf '%s option %s\\n' "$MORTISE_NONCE" "$option"
    i=$((i + 1))
  done
  printf '%s updates\\n' "$MORTISE_NONCE"
  cat
  printf '%s end\\n' "$MORTISE_NONCE"
} >&3
while IFS= read -r line <&4; do
  case $line in
    'say '*) printf '%s\\n' "\${line#say }" >&2 ;;
    'report '*) printf '%s\\n' "\${line#report }" ;;
    flush) printf 0000 ;;
    accept) exit 0 ;;
    *) exit 1 ;;
  esac
done
exit 1
`;

/** With more bad names than that git asks about all new references instead. */
const maxQueried = 100;

interface HookCall {
  readonly hook: string;
  readonly environment: Record<string, string>;
  readonly options: string[];
  readonly updates: RefUpdate[];
}

/** `name=value` or `name` (which is `true`). */
export function parsePushOptions(options: readonly string[]): Record<string, string> {
  const result: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const option of options) {
    const equals = option.indexOf('=');
    const name = (equals < 0 ? option : option.slice(0, equals)).trim();
    if (name) result[name] = equals < 0 ? 'true' : option.slice(equals + 1);
  }
  return { ...result };
}

export class HookSession implements PushSession {
  readonly environment: Readonly<Record<string, string>>;
  private readonly nonce = randomBytes(16).toString('hex');
  private entry: ChangeEntry | undefined;
  private change: RefChange | undefined;
  private result: RefsUpdated | undefined;
  private work: Promise<void> = Promise.resolve();
  private down: Writable | undefined;
  /** Where git asks about each new reference: those with bad names, or all where nobody knows which will come. */
  private readonly asked: readonly string[];
  private updates: readonly RefUpdate[] = [];

  constructor(
    private readonly gate: RefGate,
    private readonly push: Parameters<RefUpdates['openPush']>[0],
  ) {
    const bad = push.refs?.filter((ref) => gate.refusedPush(made(ref)) && isReadable(ref));
    this.asked = bad && bad.length <= maxQueried ? bad : ['refs'];
    const asked = this.asked.map((ref) => ['receive.procReceiveRefs', `a:${ref}`] as const);
    this.environment = {
      ...(asked.length ? withConfiguration(gate.parts.runner.environment, asked) : {}),
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
    const moved = await this.gate.recovery.movedOf(entry).catch((error: unknown) => {
      this.gate.journal.abandon(entry);
      throw error;
    });
    if (moved.length) this.result = await this.complete(entry, moved);
    else {
      await this.gate.parts.stamps.settled(this.folder);
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
      this.gate.parts.log.error('references have moved, and what follows from it has to wait', {
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
    return this.gate.parts.store.path(this.push.repositoryId, this.kind);
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
      const said = line.slice(this.nonce.length + 1);
      const variable = /^(GIT_[A-Z_]+)=(.*)$/.exec(said);
      if (said.startsWith('begin ')) hook = said.slice(6);
      else if (said.startsWith('option ')) call.options.push(said.slice(7));
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
    else if (call.hook === 'proc-receive') this.report();
    else await this.after(call);
  }

  private async before(call: HookCall): Promise<void> {
    this.updates = call.updates;
    const change: RefChange = {
      repositoryId: this.push.repositoryId,
      kind: this.kind,
      updates: call.updates.filter((update) => !this.gate.refusedPush(update)),
      pusher: this.push.pusher,
      pushOptions: parsePushOptions(call.options),
      source: this.push.source,
      facts: this.push.facts,
      quarantine: call.environment,
    };
    await this.push.before?.(change);
    for (const update of call.updates) {
      const reason = this.push.isAtomic || !this.isAsked(update) ? this.gate.refusedPush(update) : undefined;
      if (reason) throw Invalid(reason);
    }
    if (!change.updates.length) return this.say('accept');
    await this.gate.check(change);
    this.change = { ...change, quarantine: undefined };
    this.entry = await this.gate.begin(this.change);
    await this.gate.parts.stamps.changing(this.folder);
    this.say('accept');
  }

  private isAsked({ ref, old, new: next }: RefUpdate): boolean {
    const isNew = isZeroOid(old) && !isZeroOid(next) && isReadable(ref);
    return isNew && this.asked.some((prefix) => ref === prefix || ref.startsWith(`${prefix}/`));
  }

  /** The bad names are refused each for itself, the rest goes the way of every push (githooks, proc-receive). */
  private report(): void {
    const say = (line: string) => this.say(`report ${packetStart(line)}${line}`);
    say('version=1');
    this.say('flush');
    for (const update of this.updates) {
      // what is no name at all would be read as another; git refuses what is not reported
      if (!this.isAsked(update) || !isRefName(update.ref)) continue;
      const reason = this.gate.refusedPush(update);
      say(reason ? `ng ${update.ref} ${englishOf(reason)}` : `ok ${update.ref}`);
      if (!reason) say('option fall-through');
    }
    this.say('flush');
    this.say('accept');
  }

  private async after(call: HookCall): Promise<void> {
    const entry = this.entry;
    if (!entry || !this.change) return this.say('accept');
    if (call.updates.length) {
      this.entry = undefined;
      this.result = await this.complete(entry, call.updates);
      if (!this.result) {
        this.say('say Your changes are stored. Pages, webhooks and the like follow as soon as the server can.');
        return this.say('accept');
      }
      const change = { ...this.change, updates: call.updates };
      for (const hint of this.gate.parts.hints.list()) {
        for (const line of await hint.lines(change).catch(() => [])) this.say(`say ${oneLine(line)}`);
      }
    }
    this.say('accept');
  }

  private refuse(error: unknown): void {
    if (Problem.is(error)) {
      for (const line of error.message.split('\n')) this.say(`say ${oneLine(line)}`);
    } else {
      this.gate.parts.log.error('a push failed', {
        repositoryId: this.push.repositoryId,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      this.say('say The server failed, and nothing was changed. Please try again in a moment.');
    }
    this.say('refuse');
  }

  private say(line: string): void {
    this.down?.write(`${line}\n`);
  }
}

/** Length of a packet of the line and its end, with these four digits (gitprotocol-common). */
const packetStart = (line: string) => (Buffer.byteLength(line) + 5).toString(16).padStart(4, '0');

/** As it would be when it were new. */
const made = (ref: string): RefUpdate => ({ ref, old: zeroOid, new: 'f'.repeat(40) });

/** What is not UTF-8 cannot be given back to git as it was; where it has a bad name the whole push is refused. */
const isReadable = (ref: string) => !ref.includes('\ufffd');

const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f]/g, ' ');
