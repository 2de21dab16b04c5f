/** Git LFS pointer file, version 1 (git-lfs specification). */
export function lfsPointer(text: string): { oid: string; size: number } | undefined {
  if (!text.startsWith('version https://git-lfs.github.com/spec/v1')) return undefined;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d+)$/m.exec(text)?.[1];
  return oid && size ? { oid, size: Number(size) } : undefined;
}
