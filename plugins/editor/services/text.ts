import type { GitRepository } from '@mortise/git/api';

/** Larger files are for editors on people's own machines. */
export const maxTextBytes = 1 << 20;

interface EditableText {
  readonly text: string;
  /** Lines ended in CR LF; kept when it is written again, since forms send nothing else. */
  readonly crlf: boolean;
}

/** The text of a blob; undefined for bytes that are no UTF-8 text, or too many. */
export async function readText(git: GitRepository, oid: string): Promise<EditableText | undefined> {
  const info = await git.info(oid);
  if (!info || info.type !== 'blob' || info.size > maxTextBytes) return undefined;
  const bytes = await git.blob(oid, maxTextBytes);
  if (bytes.includes(0)) return undefined;
  try {
    // The mark at the beginning belongs to the file.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text: text.replace(/\r\n/g, '\n'), crlf: /\r\n/.test(text) };
  } catch {
    return undefined;
  }
}

/** What a form sent, with the line ends that the file has. */
export function writtenText(sent: string, crlf: boolean): Buffer {
  const text = sent.replace(/\r\n?/g, '\n');
  return Buffer.from(crlf ? text.replace(/\n/g, '\r\n') : text, 'utf8');
}
