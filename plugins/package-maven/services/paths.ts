import { createHash } from 'node:crypto';
import { BadRequest } from '@mortise/plugin-sdk';

const sums = ['md5', 'sha1', 'sha256', 'sha512'] as const;
export type Sum = (typeof sums)[number];

/** What an address of a repository names. */
export interface MavenPath {
  /** `group:artifact`. */
  readonly name: string;
  readonly group: string;
  readonly artifact: string;
  /** Undefined: the metadata of the artifact. */
  readonly version: string | undefined;
  readonly file: string;
  /** The address is that of a checksum of the file. */
  readonly sum: Sum | undefined;
}

export const metadataFile = 'maven-metadata.xml';
export const isSnapshot = (version: string): boolean => version.endsWith('-SNAPSHOT');
const isPart = (text: string) => /^[^\\/:"<>|?*\0-\x1f]+$/.test(text) && text !== '.' && text !== '..';

/** `com/example/app/tool/1.0/tool-1.0.jar.sha1`; throws for what is none. */
export function readPath(path: string): MavenPath {
  const segments = path.split('/');
  let file = segments.pop() ?? '';
  const sum = sums.find((kind) => file.endsWith(`.${kind}`));
  if (sum) file = file.slice(0, -sum.length - 1);
  const isOfArtifact = file === metadataFile && !isSnapshot(segments.at(-1) ?? '');
  const version = isOfArtifact ? undefined : segments.pop();
  const artifact = segments.pop() ?? '';
  const group = segments.join('.');
  const name = `${group}:${artifact}`;
  const parts = [...segments, artifact, file, ...(version === undefined ? [] : [version])];
  if (segments.length === 0 || name.length > 255 || !parts.every(isPart) || parts.some((part) => part.length > 255))
    throw BadRequest('the path is no Maven path');
  return { name, group, artifact, version, file, sum };
}

export const digest = (kind: Sum, content: Buffer): string => createHash(kind).update(content).digest('hex');
