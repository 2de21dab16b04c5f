import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

interface ErrorOwner {
  readonly plugin: string;
  /** Path in the plugin's folder, with line. */
  readonly location: string;
}

/** The plugin whose code is nearest to where an error was made; libraries that it brought count as its own. */
export function ownerByStack(error: unknown, folders: ReadonlyMap<string, string>): ErrorOwner | undefined {
  for (const path of paths(error)) {
    for (const [plugin, folder] of folders) {
      if (path.file.startsWith(folder + sep))
        return { plugin, location: `${path.file.slice(folder.length + 1)}:${path.line}` };
    }
  }
  return undefined;
}

function* paths(error: unknown): Iterable<{ file: string; line: string }> {
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++) {
    for (const [, address, line] of (one.stack ?? '').matchAll(
      /^\s+at .*?\(?((?:file:\/\/|\/|[A-Z]:\\).*?):(\d+):\d+\)?$/gm,
    )) {
      try {
        yield { file: address!.startsWith('file://') ? fileURLToPath(address!) : address!, line: line! };
      } catch {
        // an address of another form
      }
    }
  }
}
