/**
 * Identical requests share one pack: a hundred clones by CI cost one (`uploadpack.packObjectsHook`, git-config). The
 * key covers the repository, the arguments, what is wanted and the state of its references, so a pack is never stale.
 * The first request of a kind only leaves a mark; packs that nobody asks for twice are not stored.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitProcesses } from '@mortise/git/api';

const script = `#!/bin/sh
cache=$MORTISE_PACK_CACHE
request=$cache/request.$$
made=
trap 'rm -f "$request" \${made:+"$made" "$made.done"}' EXIT
trap 'exit 1' HUP INT PIPE TERM
cat > "$request" || exit 1
key=$({ printf '%s\\n' "$PWD" "$@"; cat mortise-refs "$request"; } | sha256sum)
key=\${key%% *}
pack=$cache/$key.pack
if [ -f "$pack" ]; then
  touch "$pack"
  cat "$pack"
  exit
fi
if ! [ -f "$cache/$key.seen" ]; then
  : > "$cache/$key.seen"
  "$@" < "$request"
  exit
fi
made=$pack.$$
{ "$@" < "$request" && : > "$made.done"; } | tee "$made"
stored=$?
[ -f "$made.done" ] || exit 1
[ $stored -eq 0 ] && mv "$made" "$pack"
exit 0
`;

/** Repositories below this are packed faster than they are looked up. */
const worthwhile = 512 * 1024;
const sweepMs = 5 * 60_000;
const keptMs = 60 * 60_000;

export class PackCache {
  private readonly hook: string;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly folder: string,
    /** 0: no cache. */
    private readonly maxBytes: number,
  ) {
    this.hook = join(folder, 'pack-objects');
    if (!maxBytes) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.hook, script);
    chmodSync(this.hook, 0o755);
  }

  /** What a fetch needs in its environment; nothing where caching does not pay. */
  async environment(git: GitProcesses, repository: string): Promise<Record<string, string>> {
    if (!this.maxBytes || !(await this.pays(repository))) return {};
    const index = Number(git.environment['GIT_CONFIG_COUNT'] ?? '0');
    return {
      MORTISE_PACK_CACHE: this.folder,
      GIT_CONFIG_COUNT: String(index + 1),
      [`GIT_CONFIG_KEY_${index}`]: 'uploadpack.packObjectsHook',
      [`GIT_CONFIG_VALUE_${index}`]: `'${this.hook.replaceAll("'", "'\\''")}'`,
    };
  }

  start(): () => void {
    this.timer = setInterval(() => void this.sweep().catch(() => undefined), sweepMs);
    this.timer.unref();
    return () => clearInterval(this.timer);
  }

  /** Takes away what was not asked for within the hour, and the oldest beyond the limit. */
  async sweep(): Promise<void> {
    const files: { path: string; size: number; at: number }[] = [];
    for (const name of await readdir(this.folder).catch(() => [] as string[])) {
      if (name === 'pack-objects') continue;
      const path = join(this.folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found) files.push({ path, size: found.size, at: found.mtimeMs });
    }
    files.sort((one, other) => other.at - one.at);
    let total = 0;
    for (const file of files) {
      total += file.size;
      if (total > this.maxBytes || Date.now() - file.at > keptMs) await rm(file.path, { force: true });
    }
  }

  private async pays(repository: string): Promise<boolean> {
    const folder = join(repository, 'objects', 'pack');
    const packs = (await readdir(folder).catch(() => [] as string[])).filter((name) => name.endsWith('.pack'));
    for (const name of packs)
      if (((await stat(join(folder, name)).catch(() => undefined))?.size ?? 0) >= worthwhile) return true;
    return false;
  }
}
