import { tooMuch } from './concurrency-limit.js';

/** What one file on its way has of a budget. */
interface Share {
  /** It has so many bytes now, or will have; throws 503 where there is no room for it. */
  grow(bytes: number): void;
  close(): void;
}

/**
 * Bytes that are on their way at once: so many in all, and half of them of one visitor. Whatever is alone has room, of all
 * and of its visitor.
 */
export class ByteBudget {
  private taken = 0;
  private readonly visitors = new Map<string, number>();

  /** Negative: any number. */
  constructor(private readonly max: number) {}

  open(visitor: string): Share {
    let size = 0;
    const change = (bytes: number) => {
      size += bytes;
      this.taken += bytes;
      const left = (this.visitors.get(visitor) ?? 0) + bytes;
      if (left > 0) this.visitors.set(visitor, left);
      else this.visitors.delete(visitor);
    };
    const isTooMuch = (others: number, bytes: number, max: number) => others > 0 && others + bytes > max;
    return {
      grow: (bytes) => {
        if (bytes <= size) return;
        const ownOthers = (this.visitors.get(visitor) ?? 0) - size;
        const isFull =
          isTooMuch(this.taken - size, bytes, this.max) || isTooMuch(ownOthers, bytes, Math.floor(this.max / 2));
        if (this.max >= 0 && isFull) throw tooMuch();
        change(bytes - size);
      },
      close: () => change(-size),
    };
  }
}
