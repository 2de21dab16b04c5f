import { Readable } from 'node:stream';
import { Problem, type Logger, type Site } from '@mortise/plugin-sdk';
import { fileName, type Attachments } from '@mortise/attachments/api';
import type { MailAttachment } from '@mortise/mail/api';
import type { TimelineEntry } from '../api.js';
import { commentFileOwner, commentFiles } from './attachment-kinds.js';
import { maxFiles } from './attach-files.js';

interface MailedFilesDeps {
  readonly attachments: Attachments;
  readonly site: Pick<Site, 'path'>;
  readonly log: Pick<Logger, 'info'>;
}

/** Files of a mail as those of a comment. */
export class MailedFiles {
  constructor(private readonly deps: MailedFilesDeps) {}

  /** Those that may be attached: by the settings for their types, sizes and number. The others are passed over. */
  allowed(files: readonly MailAttachment[]): MailAttachment[] {
    const allowed = files.filter((file) => this.#isAllowed(file)).slice(0, maxFiles);
    if (allowed.length < files.length)
      this.deps.log.info('passed over files of a mail that may not be attached', {
        event: 'issue.mailedFiles',
        count: files.length - allowed.length,
      });
    return allowed;
  }

  /** Stores them with the comment; gives links to them in Markdown. What an interrupted attempt stored is there already. */
  async attach(comment: TimelineEntry, files: readonly MailAttachment[], actorId: number): Promise<string[]> {
    const { attachments, site } = this.deps;
    const stored = (await attachments.list(commentFiles, [comment.id])).get(comment.id) ?? [];
    const links: string[] = [];
    for (const [at, { name: given, content, contentType }] of files.entries()) {
      const name = fileName(given || 'file');
      const { uuid } =
        stored[at] ?? (await attachments.upload(commentFileOwner(comment), name, Readable.from([content]), actorId));
      const label = name.replace(/[[\]\\]/g, '\\$&');
      links.push(`${contentType.startsWith('image/') ? '!' : ''}[${label}](${site.path(`/attachments/${uuid}`)})`);
    }
    return links;
  }

  #isAllowed({ name, content }: MailAttachment): boolean {
    const { attachments } = this.deps;
    const { maxBytes } = attachments.limits(commentFiles);
    if (content.byteLength === 0 || (maxBytes !== undefined && content.byteLength > maxBytes)) return false;
    try {
      attachments.checkType(commentFiles, fileName(name || 'file'));
      return true;
    } catch (error) {
      if (Problem.is(error)) return false;
      throw error;
    }
  }
}
