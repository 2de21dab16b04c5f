/** Takes the place of a repository on the disk out of what git tells a pusher (gitprotocol-pack, side-band 2). */
import { realpath } from 'node:fs/promises';
import { Transform, type TransformCallback } from 'node:stream';

const messages = 2;
/** What is longer is no packet; it goes on as it is. */
const maxPacketLength = 65_520;

class RedactPath extends Transform {
  private held: Buffer = Buffer.alloc(0);
  private isPlain = false;

  constructor(private readonly locations: readonly string[]) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.held = this.held.length ? Buffer.concat([this.held, chunk]) : chunk;
    while (!this.isPlain && this.held.length >= 4) {
      const digits = this.held.toString('latin1', 0, 4);
      const size = Math.max(/^[0-9a-f]{4}$/i.test(digits) ? parseInt(digits, 16) : Infinity, 4);
      this.isPlain = size > maxPacketLength;
      if (this.isPlain || this.held.length < size) break;
      this.push(this.redacted(this.held.subarray(0, size)));
      this.held = this.held.subarray(size);
    }
    if (this.isPlain) this.rest();
    done();
  }

  override _flush(done: TransformCallback): void {
    this.rest();
    done();
  }

  private rest(): void {
    if (this.held.length) this.push(this.held);
    this.held = Buffer.alloc(0);
  }

  private redacted(packet: Buffer): Buffer {
    if (packet[4] !== messages || !this.locations.some((location) => packet.includes(location))) return packet;
    const stderr = packet.toString('utf8', 5);
    const text = this.locations.reduce(
      (all, location) => all.replaceAll(`${location}/./`, './').replaceAll(location, '.'),
      stderr,
    );
    const content = Buffer.from(text);
    const start = Buffer.from((content.length + 5).toString(16).padStart(4, '0'), 'latin1');
    return Buffer.concat([start, Buffer.from([messages]), content]);
  }
}

/** Both ways in which git may write it. */
export async function redactPath(folder: string): Promise<RedactPath> {
  const real = await realpath(folder).catch(() => folder);
  return new RedactPath([...new Set([real, folder])]);
}
