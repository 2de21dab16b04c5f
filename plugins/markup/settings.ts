import { Joi } from '@mortise/plugin-sdk';

export interface RenderSettings {
  readonly RENDER_THREADS: number;
  readonly RENDER_TIME_LIMIT: number;
  readonly RENDER_MEMORY_LIMIT: number;
  readonly MERMAID_MAX_SOURCE_CHARACTERS: number;
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
