import { isIP, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { Logger, ProxyProtocol } from '@mortise/plugin-sdk';
import type { ClientAddresses } from './clients.js';

/** Begins each header of version 2. */
const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
/** Of version 1, with its end of line, as the specification has it. */
const maxLine = 107;
/** Of version 2, with further fields such as the name in a certificate; the format could have 64 KiB. */
const maxBinary = 4096;
const fixedBytes = 16;

/** What a connection begins with in place of a header that names a client: the proxy itself speaks, as in a health check. */
export const localHeader: Buffer = Buffer.concat([signature, Buffer.from([0x20, 0, 0, 0])]);

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

interface Header {
  /** Bytes of it; what follows is the connection's. */
  readonly length: number;
  /** Absent: the proxy speaks for itself, or does not say for whom. */
  readonly client?: Endpoint;
  /** The proxy does not know the client, or knows it by another kind of address than of TCP. */
  readonly isUnknown?: boolean;
}

/**
 * Reads the header of the PROXY protocol, version 1 or 2 (haproxy.org/download/2.9/doc/proxy-protocol.txt), that a
 * connection begins with.
 * @returns undefined: more bytes are needed.
 * @throws an error that says why this is no header.
 */
export function parseProxyHeader(bytes: Buffer): Header | undefined {
  if (bytes.length === 0) return undefined;
  return bytes[0] === signature[0] ? parseBinary(bytes) : parseLine(bytes);
}

function parseLine(bytes: Buffer): Header | undefined {
  const end = bytes.indexOf('\r\n');
  const line = bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
  if (!'PROXY '.startsWith(line.slice(0, 6))) throw new Error('it begins with no PROXY header');
  if ((end < 0 ? bytes.length : end + 2) > maxLine) throw new Error(`its PROXY header has more than ${maxLine} bytes`);
  if (end < 0) return undefined;
  const [, family, ...fields] = line.split(' ');
  if (family === 'UNKNOWN') return { length: end + 2, isUnknown: true };
  const version = family === 'TCP4' ? 4 : family === 'TCP6' ? 6 : undefined;
  const [source = '', target = '', ...ports] = fields;
  const isWhole = fields.length === 4 && isIP(source) === version && isIP(target) === version && ports.every(isPort);
  if (!isWhole) throw new Error('its PROXY header is malformed');
  return { length: end + 2, client: { address: source, port: Number(ports[0]) } };
}

const isPort = (text: string): boolean => /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;

function parseBinary(bytes: Buffer): Header | undefined {
  const begun = Math.min(bytes.length, signature.length);
  if (!bytes.subarray(0, begun).equals(signature.subarray(0, begun))) throw new Error('it begins with no PROXY header');
  if (bytes.length < fixedBytes) return undefined;
  const [command, family] = [bytes[12]!, bytes[13]!];
  if (command !== 0x20 && command !== 0x21) throw new Error('its PROXY header has an unknown version or command');
  const length = fixedBytes + bytes.readUInt16BE(14);
  if (length > maxBinary) throw new Error(`its PROXY header has more than ${maxBinary} bytes`);
  if (bytes.length < length) return undefined;
  if (command === 0x20) return { length };
  const size = family === 0x11 ? 4 : family === 0x21 ? 16 : undefined;
  if (size === undefined) return { length, isUnknown: true };
  if (length < fixedBytes + 2 * size + 4) throw new Error('its PROXY header is malformed');
  const address = ipaddr.fromByteArray([...bytes.subarray(fixedBytes, fixedBytes + size)]).toString();
  return { length, client: { address, port: bytes.readUInt16BE(fixedBytes + 2 * size) } };
}

/** In place of a client that the proxy does not know: what it says of itself is not to be believed as the proxy would be. */
const unknownClient: Endpoint = { address: '0.0.0.0', port: 0 };

interface ProxyProtocolSettings {
  readonly PROXY_PROTOCOL_HEADER_TIMEOUT: number;
  readonly PROXY_PROTOCOL_ACCEPT_UNKNOWN: boolean;
}

/** Takes the headers of proxies off connections. */
export class ProxyHeaders implements ProxyProtocol {
  /** Whom TLS connections come from, by the other end of their sockets: TLS hides the socket that it reads from. */
  readonly #clients = new Map<string, Endpoint>();

  constructor(
    private readonly settings: ProxyProtocolSettings,
    private readonly addresses: Pick<ClientAddresses, 'isTrusted'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  async take(socket: Socket): Promise<boolean> {
    // what goes wrong is seen as its end
    socket.on('error', () => undefined);
    const peer: Endpoint = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
    try {
      // it has gone already
      if (peer.address === '') {
        socket.destroy();
        return false;
      }
      if (!this.addresses.isTrusted(peer.address))
        throw new Error('it comes from no proxy of [security] REVERSE_PROXY_TRUSTED_PROXIES');
      const header = await readHeader(socket, this.settings.PROXY_PROTOCOL_HEADER_TIMEOUT);
      if (!header) return false;
      if (header.isUnknown && !this.settings.PROXY_PROTOCOL_ACCEPT_UNKNOWN)
        throw new Error('its PROXY header names no client ([server] PROXY_PROTOCOL_ACCEPT_UNKNOWN)');
      const client = header.client ?? (header.isUnknown ? unknownClient : undefined);
      if (client) this.#note(socket, peer, client);
      return true;
    } catch (error) {
      socket.destroy();
      this.log.warn('a connection was closed for its PROXY header', {
        event: 'proxyProtocol.refused',
        address: peer.address,
        reason: (error as Error).message,
      });
      return false;
    }
  }

  #note(socket: Socket, peer: Endpoint, client: Endpoint): void {
    const id = `${peer.address} ${peer.port}`;
    this.#clients.set(id, client);
    socket.once('close', () => this.#clients.delete(id));
    setRemoteAddress(socket, client);
  }

  /** Has each connection of the server begin with a header; with TLS before it, or within where the proxy talks TLS itself. */
  attachTo(listener: Server, { isTls, isWithinTls }: { isTls: boolean; isWithinTls: boolean }): void {
    const event = isTls && isWithinTls ? 'secureConnection' : 'connection';
    const handlers = listener.listeners(event) as ((socket: Socket) => void)[];
    // what is put back by who took it out (WebSockets) has no second header
    const ready = new WeakSet<Socket>();
    const begin = (socket: Socket) => {
      ready.add(socket);
      for (const handle of handlers) handle.call(listener, socket);
    };
    listener.removeAllListeners(event);
    listener.on(event, (socket: Socket) => {
      if (ready.has(socket)) return begin(socket);
      void this.take(socket).then((isTaken) => {
        if (isTaken) begin(socket);
      });
    });
    if (isTls && !isWithinTls)
      listener.prependListener('secureConnection', (socket: TLSSocket) => this.#recall(socket));
  }

  #recall(socket: TLSSocket): void {
    const client = this.#clients.get(`${socket.remoteAddress} ${socket.remotePort}`);
    if (client) setRemoteAddress(socket, client);
  }
}

function setRemoteAddress(socket: Socket, { address, port }: Endpoint): void {
  Object.defineProperties(socket, {
    remoteAddress: { value: address },
    remotePort: { value: port },
    remoteFamily: { value: address.includes(':') ? 'IPv6' : 'IPv4' },
  });
}

/** Undefined: the connection ended before it said anything, as those that only ask whether somebody listens. */
function readHeader(socket: Socket, timeoutMs: number): Promise<Header | undefined> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const timer = setTimeout(() => fail(new Error('its PROXY header did not come in time')), timeoutMs);
    const done = () => {
      clearTimeout(timer);
      socket.off('readable', read).off('end', ended).off('close', ended);
    };
    const fail = (error: Error) => {
      done();
      reject(error);
    };
    const ended = () => {
      if (bytes.length > 0) return fail(new Error('it ended within its PROXY header'));
      done();
      socket.destroy();
      resolve(undefined);
    };
    const read = () => {
      for (let chunk; (chunk = socket.read() as Buffer | null) !== null;) bytes = Buffer.concat([bytes, chunk]);
      try {
        const header = parseProxyHeader(bytes);
        if (!header) return;
        done();
        if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length));
        resolve(header);
      } catch (error) {
        fail(error as Error);
      }
    };
    socket.on('readable', read).once('end', ended).once('close', ended);
  });
}
