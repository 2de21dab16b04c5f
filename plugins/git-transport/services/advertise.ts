/**
 * What git clients are told first, made from the table of references without a process: advertisements of protocol
 * versions 0 and 1 (gitprotocol-pack), capabilities and `ls-refs` of version 2 (gitprotocol-v2).
 */
import type { GitRepository, Ref } from '@mortise/git/api';
import type { GitService } from '../contract/git-transport.js';
import { flush, packet, parsePackets } from './packet-lines.js';

const agent = 'agent=mortise/1.0.0';
const fetchAbilities =
  'multi_ack thin-pack side-band side-band-64k ofs-delta shallow deepen-since deepen-not deepen-relative no-progress include-tag multi_ack_detailed allow-tip-sha1-in-want allow-reachable-sha1-in-want no-done';
const pushAbilities = 'report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta';

interface AdvertisedRefs {
  readonly head: { readonly ref: string; readonly branch: string; readonly oid?: string };
  readonly refs: readonly Ref[];
  /** Tag object → what it names in the end. */
  readonly peeled: ReadonlyMap<string, string>;
  /** Answers made from this table, and their bytes together. */
  readonly answers: Map<string, Buffer>;
  size: number;
}

/** Tables by the identity of the list of references, which stays as long as none moves. */
const tables = new WeakMap<readonly Ref[], Promise<AdvertisedRefs>>();
const maxResponses = 50;
const maxBytes = 16 * 1024 * 1024;
/** Longer questions are nobody's second. */
const maxKeyLength = 2048;

async function advertisedRefs(repository: GitRepository): Promise<AdvertisedRefs> {
  const refs = await repository.refs();
  const known = tables.get(refs);
  if (known) return known;
  const made = read(repository, refs);
  tables.set(refs, made);
  made.catch(() => tables.delete(refs));
  return made;
}

async function read(repository: GitRepository, refs: readonly Ref[]): Promise<AdvertisedRefs> {
  const peeled = new Map<string, string>();
  const tags = refs.filter((ref) => ref.ref.startsWith('refs/tags/'));
  for (let at = 0; at < tags.length; at += 64) {
    await Promise.all(
      tags.slice(at, at + 64).map(async ({ oid }) => {
        const target = await repository.peel(oid);
        if (target && target.oid !== oid) peeled.set(oid, target.oid);
      }),
    );
  }
  return { head: await repository.head(), refs, peeled, answers: new Map(), size: 0 };
}

async function remembered(
  repository: GitRepository,
  key: string,
  make: (advertised: AdvertisedRefs) => Buffer | Promise<Buffer>,
): Promise<Buffer> {
  const advertised = await advertisedRefs(repository);
  const known = advertised.answers.get(key);
  if (known) return known;
  const answer = await make(advertised);
  if (key.length > maxKeyLength || answer.length > maxBytes) return answer;
  if (advertised.answers.size >= maxResponses || advertised.size + answer.length > maxBytes) {
    advertised.answers.clear();
    advertised.size = 0;
  }
  advertised.answers.set(key, answer);
  advertised.size += answer.length;
  return answer;
}

/** Protocol version that the client asks for; anything odd is version 0. */
export function protocolVersion(header: string | undefined): 0 | 1 | 2 {
  if (!header || !/^[A-Za-z0-9=:._-]+$/.test(header)) return 0;
  const asked = header.split(':').map((part) => /^version=(\d+)$/.exec(part)?.[1]);
  return asked.includes('2') ? 2 : asked.includes('1') ? 1 : 0;
}

/** Without the line that HTTP puts before it. */
export function advertise(repository: GitRepository, service: GitService, version: 0 | 1 | 2): Promise<Buffer> {
  const shownVersion = service === 'receive-pack' && version === 2 ? 0 : version;
  return remembered(repository, `${service} ${shownVersion}`, async (advertised) => {
    const start: Buffer[] = [];
    const format = await repository.objectFormat();
    if (shownVersion === 2) {
      const lines = [
        'version 2\n',
        `${agent}\n`,
        'ls-refs=unborn\n',
        'fetch=shallow wait-for-done filter\n',
        'server-option\n',
        `object-format=${format}\n`,
      ];
      return Buffer.concat([...start, ...lines.map(packet), flush]);
    }
    if (shownVersion === 1) start.push(packet('version 1\n'));
    return Buffer.concat([...start, ...lines0(advertised, service, format).map(packet), flush]);
  });
}

/** What a repository that a push is about to make would say. */
export function advertiseNothing(): Buffer {
  const able = `${pushAbilities} push-options object-format=sha1 ${agent}`;
  return Buffer.concat([packet(`${'0'.repeat(40)} capabilities^{}\0${able}\n`), flush]);
}

function lines0(advertised: AdvertisedRefs, service: GitService, format: string): string[] {
  const rows: string[] = [];
  if (service === 'upload-pack') {
    if (advertised.head.oid) rows.push(`${advertised.head.oid} HEAD`);
    for (const { oid, ref } of advertised.refs) {
      rows.push(`${oid} ${ref}`);
      const peeled = ref.startsWith('refs/tags/') ? advertised.peeled.get(oid) : undefined;
      if (peeled) rows.push(`${peeled} ${ref}^{}`);
    }
  } else {
    // references of pull requests belong to the server
    for (const { oid, ref } of advertised.refs) if (!ref.startsWith('refs/pull/')) rows.push(`${oid} ${ref}`);
  }
  const symref =
    service === 'upload-pack' && advertised.head.oid
      ? ` symref=HEAD:${advertised.head.ref} filter`
      : service === 'upload-pack'
        ? ' filter'
        : ' push-options';
  const able = `${service === 'upload-pack' ? fetchAbilities : pushAbilities}${symref} object-format=${format} ${agent}`;
  const [first = `${'0'.repeat(format === 'sha256' ? 64 : 40)} capabilities^{}`, ...rest] = rows;
  return [`${first}\0${able}\n`, ...rest.map((row) => `${row}\n`)];
}

/** The answer to a version 2 `ls-refs` request; undefined when the body is not one that is understood here. */
export async function listRefs(repository: GitRepository, body: Buffer): Promise<Buffer | undefined> {
  const packets = parsePackets(body);
  if (packets?.[0] !== 'command=ls-refs') return undefined;
  const words = packets.filter((one): one is string => typeof one === 'string').slice(1);
  const format = words.find((word) => word.startsWith('object-format='));
  if (format && format !== `object-format=${await repository.objectFormat()}`) return undefined;
  const has = (word: string) => words.includes(word);
  const prefixes = words.filter((word) => word.startsWith('ref-prefix ')).map((word) => word.slice(11));
  const options = { peel: has('peel'), symrefs: has('symrefs'), unborn: has('unborn'), prefixes };
  return remembered(repository, `ls ${JSON.stringify(options)}`, (advertised) =>
    Buffer.concat([...rowsOf(advertised, options).map((row) => packet(`${row}\n`)), flush]),
  );
}

/** In time that hardly depends on how many there are: a client may send tens of thousands. */
function beginsWithAny(prefixes: readonly string[]): (ref: string) => boolean {
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))].sort((one, other) => one - other);
  return (ref) => !prefixes.length || lengths.some((length) => length <= ref.length && known.has(ref.slice(0, length)));
}

function rowsOf(
  advertised: AdvertisedRefs,
  options: { peel: boolean; symrefs: boolean; unborn: boolean; prefixes: readonly string[] },
): string[] {
  const wanted = beginsWithAny(options.prefixes);
  const rows: string[] = [];
  const target = options.symrefs ? ` symref-target:${advertised.head.ref}` : '';
  if (wanted('HEAD') && advertised.head.branch) {
    if (advertised.head.oid) rows.push(`${advertised.head.oid} HEAD${target}`);
    else if (options.unborn) rows.push(`unborn HEAD${target}`);
  }
  for (const { oid, ref } of advertised.refs) {
    if (!wanted(ref)) continue;
    const peeled = options.peel ? advertised.peeled.get(oid) : undefined;
    rows.push(peeled ? `${oid} ${ref} peeled:${peeled}` : `${oid} ${ref}`);
  }
  return rows;
}
