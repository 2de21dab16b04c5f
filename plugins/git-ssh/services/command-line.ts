/** Takes a command apart as a shell would, and refuses everything that only a shell could do. */
import { BadRequest } from '@mortise/plugin-sdk';

const maxLength = 16 * 1024;

interface CommandLine {
  readonly name: string;
  readonly args: readonly string[];
}

/** `git-upload-pack '/ada/it'\''s.git'` → name and arguments; `git upload-pack` is the same as `git-upload-pack`. */
export function parseCommand(line: string): CommandLine {
  if (line.length > maxLength || /[\0\r\n]/.test(line)) throw BadRequest('Invalid command.');
  const words = split(line.trim());
  if (words[0] === 'git' && words[1]) words.splice(0, 2, `git-${words[1]}`);
  const [name = '', ...args] = words;
  return { name, args };
}

function split(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] as string;
    if (sign === "'") {
      const end = line.indexOf("'", at + 1);
      if (end < 0) throw BadRequest('Unterminated quote in the command.');
      word = (word ?? '') + line.slice(at + 1, end);
      at = end;
    } else if (sign === '"') {
      const match = /^"((?:[^"\\]|\\.)*)"/.exec(line.slice(at));
      if (!match) throw BadRequest('Unterminated quote in the command.');
      word = (word ?? '') + (match[1] as string).replace(/\\(["\\$`])/g, '$1');
      at += match[0].length - 1;
    } else if (sign === '\\') {
      if (++at >= line.length) throw BadRequest('Unexpected end of the command after a backslash.');
      word = (word ?? '') + line[at];
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/[;&|<>()$`*?{}]/.test(sign)) {
      throw BadRequest('Shell access is not available. Run a single command without special characters.');
    } else word = (word ?? '') + sign;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** `/owner/name.git`, `owner/name`, `~owner/name`, `/~/owner/name` → owner and name. */
export function repositoryPath(text: string): { owner: string; repo: string } {
  const parts = text
    .replace(/^\/?~?\/?/, '')
    .replace(/\/+$/, '')
    .split('/');
  const [owner = '', repo = ''] = parts;
  const isName = (name: string) => /^[^\s\u0000-\u001f\u007f\\:]{1,255}$/.test(name) && !/^\.{1,2}$/.test(name);
  if (parts.length !== 2 || !isName(owner) || !isName(repo))
    throw BadRequest('Invalid repository path. Use owner/name.git.');
  return { owner, repo };
}
