import { Joi } from '@mortise/plugin-sdk';

export interface RenderSettings {
  readonly RENDER_THREADS: number;
  readonly RENDER_TIME_LIMIT: number;
  readonly RENDER_MEMORY_LIMIT: number;
  readonly MERMAID_MAX_SOURCE_CHARACTERS: number;
  readonly RENDER_COMMANDS: number;
  readonly RENDER_COMMAND_TIME_LIMIT: number;
  readonly RENDER_COMMAND_MEMORY_LIMIT: number;
}

/** `[markup]` */
export const renderSettings = Joi.object<RenderSettings, true>({
  RENDER_THREADS: Joi.number()
    .integer()
    .min(0)
    .max(64)
    .default(0)
    .description(
      'Threads of each process that render texts; 0: by the number of processors. With two or more, no visitor can use all of them',
    ),
  RENDER_TIME_LIMIT: Joi.number()
    .integer()
    .min(100)
    .default(3000)
    .description('Milliseconds for one text; what takes longer is shown as plain text'),
  RENDER_MEMORY_LIMIT: Joi.number().integer().min(64).default(256).description('MiB of memory for each of the threads'),
  MERMAID_MAX_SOURCE_CHARACTERS: Joi.number()
    .integer()
    .min(0)
    .default(50_000)
    .description('Longer texts of diagrams are shown as code'),
  RENDER_COMMANDS: Joi.number()
    .integer()
    .min(1)
    .max(64)
    .default(2)
    .description('Commands of sections [markup.NAME] that each process runs at once'),
  RENDER_COMMAND_TIME_LIMIT: Joi.number()
    .integer()
    .min(100)
    .default(10_000)
    .description('Milliseconds for one command; a file that takes longer is shown as plain text'),
  RENDER_COMMAND_MEMORY_LIMIT: Joi.number()
    .integer()
    .min(0)
    .default(1024)
    .description('MiB of address space for each process of a command; 0: no limit'),
});

export interface CommandSettings {
  readonly ENABLED: boolean;
  readonly FILE_EXTENSIONS: string;
  readonly RENDER_COMMAND: string;
  readonly IS_INPUT_FILE: boolean;
  readonly RENDER_CONTENT_MODE: 'sanitized';
  readonly NEED_POST_PROCESS: boolean;
}

/** `[markup.NAME]`, as the compatible service has them: a program that renders a kind of files. */
export const commandSettings = Joi.object<CommandSettings, true>({
  ENABLED: Joi.boolean().default(false).description('Render these files'),
  FILE_EXTENSIONS: Joi.string()
    .allow('')
    .pattern(/^[\s,]*(?:\.[\w+-][\w.+-]*[\s,]*)*$/, 'endings that begin with a dot')
    .default('')
    .description('Endings of the files, separated by commas: .tex,.latex'),
  RENDER_COMMAND: Joi.string()
    .allow('')
    .default('')
    .description('Program and arguments, separated by blanks; no shell reads them. It writes HTML'),
  IS_INPUT_FILE: Joi.boolean()
    .default(false)
    .description('The program gets the name of a file as its last argument, instead of the text on its standard input'),
  RENDER_CONTENT_MODE: Joi.string()
    .valid('sanitized')
    .default('sanitized')
    .meta({ compatible: [{ from: /^(no-sanitizer|iframe)$/i, to: 'sanitized' }] })
    .description('What comes out is always sanitized'),
  NEED_POST_PROCESS: Joi.boolean().default(true).description('Mentions, issues and commits in the result become links'),
});

export interface MarkdownSettings {
  readonly RENDER_OPTIONS_COMMENT: string;
  readonly RENDER_OPTIONS_WIKI: string;
  readonly RENDER_OPTIONS_REPO_FILE: string;
  readonly FILE_EXTENSIONS: string;
  readonly CUSTOM_URL_SCHEMES: string;
  readonly ENABLE_MATH: boolean;
}

const options = (value: string, where: string) =>
  Joi.string()
    .allow('')
    .default(value)
    .description(`Of ${where}, separated by commas: short-issue-pattern, new-line-hard-break`);

/** `[markdown]` */
export const markdownSettings = Joi.object<MarkdownSettings, true>({
  RENDER_OPTIONS_COMMENT: options('short-issue-pattern, new-line-hard-break', 'comments'),
  RENDER_OPTIONS_WIKI: options('short-issue-pattern', 'wiki pages'),
  RENDER_OPTIONS_REPO_FILE: options('', 'files'),
  FILE_EXTENSIONS: Joi.string()
    .allow('')
    .default('.md,.markdown,.mdown,.mkd,.livemd')
    .description('Endings of Markdown files, separated by commas'),
  CUSTOM_URL_SCHEMES: Joi.string()
    .allow('')
    .pattern(/^(?!.*\b(?:javascript|vbscript|data)\b)/i, 'schemes that run nothing')
    .default('')
    .description('Schemes of links that are allowed beside the usual ones, separated by commas: git-fork, zed'),
  ENABLE_MATH: Joi.boolean().default(true).description('Formulas between dollar signs and in fences named math'),
});

export const listOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
