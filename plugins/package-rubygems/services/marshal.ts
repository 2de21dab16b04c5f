/** Ruby's Marshal format, version 4.8, as far as gem indexes need it. */

/** An object with instance variables. */
export class RubyObject {
  constructor(
    readonly name: string,
    readonly variables: Readonly<Record<string, unknown>>,
  ) {}
}

/** An object that is dumped as another one (`marshal_dump`). */
export class RubyUser {
  constructor(
    readonly name: string,
    readonly value: unknown,
  ) {}
}

/** An object that is dumped as bytes (`_dump`). */
export class RubyBytes {
  constructor(
    readonly name: string,
    readonly bytes: Buffer,
  ) {}
}

export class RubySymbol {
  constructor(readonly name: string) {}
}

class Writer {
  readonly parts: Buffer[] = [Buffer.from([4, 8])];
  private readonly symbols = new Map<string, number>();

  private byte(value: number): void {
    this.parts.push(Buffer.from([value & 255]));
  }

  private number(value: number): void {
    if (value === 0) return this.byte(0);
    if (value > 0 && value < 123) return this.byte(value + 5);
    if (value < 0 && value > -124) return this.byte(value - 5);
    const bytes: number[] = [];
    for (let rest = value; rest !== 0 && rest !== -1; rest >>= 8) bytes.push(rest & 255);
    this.byte(value < 0 ? -bytes.length : bytes.length);
    this.parts.push(Buffer.from(bytes));
  }

  private bytes(bytes: Buffer): void {
    this.number(bytes.length);
    this.parts.push(bytes);
  }

  private tag(letter: string): void {
    this.parts.push(Buffer.from(letter, 'latin1'));
  }

  private symbol(name: string): void {
    const known = this.symbols.get(name);
    if (known !== undefined) {
      this.tag(';');
      return this.number(known);
    }
    this.symbols.set(name, this.symbols.size);
    this.tag(':');
    this.bytes(Buffer.from(name));
  }

  private text(text: string): void {
    this.tag('I"');
    this.bytes(Buffer.from(text));
    this.number(1);
    this.symbol('E');
    this.tag('T');
  }

  write(value: unknown): void {
    if (value === null || value === undefined) return this.tag('0');
    if (value === true || value === false) return this.tag(value ? 'T' : 'F');
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') {
      this.tag('i');
      return this.number(value);
    }
    if (value instanceof RubySymbol) return this.symbol(value.name);
    if (value instanceof RubyUser) {
      this.tag('U');
      this.symbol(value.name);
      return this.write(value.value);
    }
    if (value instanceof RubyBytes) {
      this.tag('u');
      this.symbol(value.name);
      return this.bytes(value.bytes);
    }
    if (Array.isArray(value)) {
      this.tag('[');
      this.number(value.length);
      for (const one of value) this.write(one);
      return;
    }
    const isObject = value instanceof RubyObject;
    const entries = Object.entries(isObject ? value.variables : (value as object));
    this.tag(isObject ? 'o' : '{');
    if (isObject) this.symbol(value.name);
    this.number(entries.length);
    for (const [key, one] of entries) {
      if (isObject) this.symbol(key);
      else this.text(key);
      this.write(one);
    }
  }
}

/** Texts, whole numbers below 2³⁰, lists, records (with texts as keys) and the classes above. */
export function dumpRuby(value: unknown): Buffer {
  const writer = new Writer();
  writer.write(value);
  return Buffer.concat(writer.parts);
}
