import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { StorageArea } from '@mortise/plugin-sdk';
import { SourceContext } from './source-context.js';
import type { SourceDatabase } from './source-database.js';
import type { SourceSettings } from './source-settings.js';

interface Findings {
  differ(what: string): void;
  report(reason: string): void;
}

/** For the comparison: files are compared where a pass would store them. */
export class ComparingContext extends SourceContext {
  constructor(
    settings: SourceSettings,
    source: SourceDatabase,
    private readonly findings: Findings,
  ) {
    super(settings, source, true, findings);
  }

  /** By size and SHA-256. */
  override async storeFile(path: string, area: StorageArea, key: string): Promise<boolean> {
    const file = await lstat(path).catch(() => undefined);
    if (!file?.isFile()) {
      this.report(`file ${path} cannot be read`);
      return false;
    }
    const stored = await area.stat(key);
    if (!stored) this.findings.differ('a file is missing');
    else if (stored.size !== file.size) this.findings.differ('a file has another size');
    else if ((await digestOf(createReadStream(path))) !== (await digestOf((await area.get(key)).stream)))
      this.findings.differ('a file has other content');
    return true;
  }
}

async function digestOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
