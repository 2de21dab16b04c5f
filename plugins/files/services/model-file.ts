/** Formats of 3D models that the viewer knows, by the end of a file's name. */
const formats = { stl: 'stl', ply: 'ply', obj: 'obj' } as const;
type ModelFormat = (typeof formats)[keyof typeof formats];

/** Larger models are downloaded: the browser would stand still while it draws them. */
const maxModelBytes = 50 * 1024 * 1024;

export function modelFormatOf({
  name,
  size,
}: {
  readonly name: string;
  readonly size: number;
}): ModelFormat | undefined {
  const end = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return size > 0 && size <= maxModelBytes ? formats[end as ModelFormat] : undefined;
}
