import { extname } from 'node:path';

/** Formats of 3D models that the viewer knows, by the end of a file's name. */
const formats = ['stl', 'ply', 'obj'] as const;
type ModelFormat = (typeof formats)[number];
const formatOfEnding = new Map<string, ModelFormat>(formats.map((format) => [`.${format}`, format]));

/** Larger models are downloaded: the browser would stand still while it draws them. */
const maxModelBytes = 50 * 1024 * 1024;

export function modelFormatOf({
  name,
  size,
}: {
  readonly name: string;
  readonly size: number;
}): ModelFormat | undefined {
  return size > 0 && size <= maxModelBytes ? formatOfEnding.get(extname(name).toLowerCase()) : undefined;
}
