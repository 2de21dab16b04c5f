import { createHash } from 'node:crypto';
import { BadRequest } from '@mortise/plugin-sdk';

const forbidden = /[\u0000-\u001f\u007f\\/":<>|*?]/;
const maxName = 255;
const maxPath = 1000;

/** Throws for names that could not be those of files somewhere. */
export function checkArtifactName(name: unknown): string {
  if (typeof name !== 'string' || name.trim() === '') throw BadRequest('The name of the artifact is missing.');
  if (name.length > maxName) throw BadRequest(`The name of an artifact has at most ${maxName} characters.`);
  if (forbidden.test(name) || !name.isWellFormed())
    throw BadRequest('The name of an artifact must not contain any of \\ / " : < > | * ? and line breaks.');
  if (name === '.' || name === '..') throw BadRequest('The name of the artifact is not allowed.');
  return name;
}

/** The path of a file below the name of its artifact, with `/` between folders; throws when it leads out. */
export function checkItemPath(name: string, itemPath: string): string {
  const whole = itemPath.replaceAll('\\', '/');
  const path = whole.startsWith(`${name}/`) ? whole.slice(name.length + 1) : whole;
  const parts = path.split('/');
  if (path.length > maxPath || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw BadRequest('The path of the file is not allowed.');
  if (parts.some((part) => forbidden.test(part)) || !path.isWellFormed())
    throw BadRequest('The path of a file must not contain any of " : < > | * ? and line breaks.');
  return path;
}

/** What addresses of the older protocol call an artifact. */
export const nameHash = (name: string): string => createHash('md5').update(name).digest('hex');

export const locationHash = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
