import { tgz } from '@mortise/packages/testing';

export const crate = (version: string): Buffer =>
  tgz({ [`kit-crate-${version}/Cargo.toml`]: `[package]\nversion = "${version}"\n` });

const length = (bytes: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  return head;
};

/** What cargo sends: lengths, description and crate. */
export function frame(description: object | string, data = crate('1.0.0')): Buffer {
  const json = Buffer.from(typeof description === 'string' ? description : JSON.stringify(description));
  return Buffer.concat([length(json), json, length(data), data]);
}
