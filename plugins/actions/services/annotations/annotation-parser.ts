import { parseCommand, type WorkflowCommand } from '../../workflow/index.js';
import type { AnnotationRow } from '../../models/annotation.js';

const levels: readonly string[] = ['error', 'warning', 'notice'] satisfies readonly AnnotationRow['level'][];
const maxMessage = 1000;
const maxTitle = 255;
const maxPath = 500;
const maxLine = 1_000_000_000;
const maxToken = 255;

export type ParsedAnnotation = Pick<
  AnnotationRow,
  'level' | 'path' | 'line' | 'end_line' | 'title' | 'message' | 'log_line'
>;

/** Reads the lines of a log in their order. */
export class AnnotationParser {
  /** `stopToken`: what ends the lines in which commands are none, as the lines before have it; empty: they are some. */
  constructor(public stopToken: string) {}

  /** The annotation of a line; undefined: it is none. */
  read(content: string, index: number): ParsedAnnotation | undefined {
    if (!content.includes('::')) return undefined;
    if (this.stopToken) {
      if (content.trim() === `::${this.stopToken}::`) this.stopToken = '';
      return undefined;
    }
    const command = parseCommand(content);
    if (command?.name === 'stop-commands') this.stopToken = command.value.trim().slice(0, maxToken);
    return command && levels.includes(command.name) ? annotationOf(command, index) : undefined;
  }
}

function annotationOf({ name, properties, value }: WorkflowCommand, index: number): ParsedAnnotation {
  const path = pathOf(properties.file ?? '');
  const line = path ? lineOf(properties.line) : 0;
  return {
    level: name as AnnotationRow['level'],
    path,
    line,
    end_line: line ? Math.max(line, lineOf(properties.endline)) : 0,
    title: cut(properties.title ?? '', maxTitle),
    message: cut(value, maxMessage),
    log_line: index,
  };
}

const cut = (text: string, max: number): string => text.trim().slice(0, max).toWellFormed();

function lineOf(text = ''): number {
  const line = /^\d{1,10}$/.test(text.trim()) ? Number(text) : 0;
  return line <= maxLine ? line : 0;
}

/** Below the root of the repository, as far as that can be told from where runners put it; empty: it is no such file. */
function pathOf(text: string): string {
  const path = text
    .trim()
    .replaceAll('\\', '/')
    .replace(/^\/github\/workspace\/|^\/workspace\/[^/]+\/[^/]+\/|^(?:\.\/)+/, '');
  const isInside = path !== '' && !path.startsWith('/') && path.length <= maxPath && !path.split('/').includes('..');
  return isInside && path.isWellFormed() ? path : '';
}
