/**
 * What a client is told about signatures: those that are taken here (RFC 8308, `server-sig-algs`; RFC 8332), and those
 * that the server makes. The library says the first with a name run into the next, so clients would not know that RSA
 * may sign with SHA-512, and it offers SHA-1 in both, whatever it was told.
 */
import type { Connection as Client, PublicKeyAuthContext } from 'ssh2';

export const signatureAlgorithms = [
  'ssh-ed25519',
  'sk-ssh-ed25519@openssh.com',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ecdsa-sha2-nistp256@openssh.com',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const;

/** Numbers of messages and of reasons (RFC 4250, 4). */
const extensionInfo = 7;
const userauthBanner = 53;
const serviceNotAvailable = 7;

type List = { readonly array: readonly string[]; readonly buffer: Buffer };
type Lists = Readonly<Record<'cipher' | 'mac' | 'compress' | 'lang', List>>;

/** What is offered when keys are exchanged. */
interface Offer {
  readonly lists: { readonly kex: List; readonly serverHostKey: List; readonly cs: Lists; readonly sc: Lists };
}

/** The parts of the library's protocol that are reached into. */
interface Protocol {
  _onHandshakeComplete(...negotiated: unknown[]): void;
  _offer: Offer;
  readonly _kex: { remoteExtInfoEnabled: boolean };
  readonly _packetRW: {
    readonly write: { readonly allocStart: number; alloc(size: number): Buffer; finalize(packet: Buffer): Buffer };
  };
  readonly _cipher: { encrypt(packet: Buffer): void };
  disconnect(reason: number): void;
}

const protocolOf = (client: Client): Protocol => (client as unknown as { readonly _protocol: Protocol })._protocol;

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const message = Buffer.concat([
  Buffer.from([extensionInfo, 0, 0, 0, 1]),
  text('server-sig-algs'),
  text(signatureAlgorithms.join(',')),
]);

/** The same offer, but the host key signs with SHA-2 only. */
function withoutSha1(offer: Offer): Offer {
  const { kex, serverHostKey, cs, sc } = offer.lists;
  const buffers = (lists: Lists) =>
    Object.fromEntries(Object.entries(lists).map(([name, { buffer }]) => [name, buffer]));
  const kept = serverHostKey.array.filter((name) => name !== 'ssh-rsa');
  const Made = offer.constructor as new (lists: object) => Offer;
  return new Made({ kex: kex.buffer, serverHostKey: kept, cs: buffers(cs), sc: buffers(sc) });
}

function send(protocol: Protocol, content: Buffer): void {
  const { write } = protocol._packetRW;
  const packet = write.alloc(content.length);
  packet.set(content, write.allocStart);
  protocol._cipher.encrypt(write.finalize(packet));
}

/**
 * Ends a connection whose keys are exchanged but which is not signed in, with a reason that people see (RFC 4252, 5.4;
 * RFC 4253, 11.1). A refusal of the key would send them looking for another.
 */
export function endWithReason(client: Client, reason: string): void {
  const protocol = protocolOf(client);
  const start = Buffer.from([userauthBanner]);
  send(protocol, Buffer.concat([start, text(`${reason}\r\n`), text('')]));
  protocol.disconnect(serviceNotAvailable);
  client.end();
}

/** Says it once, first after the keys are exchanged, in place of the library. To be called before that. */
export function announceSignatures(client: Client): void {
  const protocol = protocolOf(client);
  protocol._offer = withoutSha1(protocol._offer);
  const complete = protocol._onHandshakeComplete;
  let isFirst = true;
  protocol._onHandshakeComplete = (...negotiated) => {
    if (isFirst && protocol._kex.remoteExtInfoEnabled) {
      protocol._kex.remoteExtInfoEnabled = false; // or the library would say it as well
      send(protocol, message);
    }
    isFirst = false;
    complete(...negotiated);
  };
}

/**
 * Tells the client that its key is worth a signature. The answer repeats the algorithm that was asked about (RFC 4252,
 * 7); the library would name the kind of the key instead, and strict clients take that for another key.
 */
export function askForSignature(offer: PublicKeyAuthContext): void {
  const { key, hashAlgo } = offer;
  if (key.algo === 'ssh-rsa' && hashAlgo) key.algo = `rsa-sha2-${hashAlgo === 'sha512' ? '512' : '256'}`;
  offer.accept();
}
