import { Joi } from '@mortise/plugin-sdk';

const text = () => Joi.string().allow('').required();
const person = Joi.object({ name: text(), email: text(), date: text() }).label('CommitUser');

const wikiCommitSchema = Joi.object({
  sha: Joi.string().required(),
  author: person.required(),
  commiter: person.required(),
  message: text(),
}).label('WikiCommit');

const names = { title: text(), html_url: text(), sub_url: text(), last_commit: wikiCommitSchema.required() };

export const wikiPageSchema = Joi.object({
  ...names,
  content_base64: text(),
  commit_count: Joi.number().integer().required(),
  sidebar: text().description('Base64'),
  footer: text().description('Base64'),
}).label('WikiPage');

export const wikiListSchema = Joi.array().items(Joi.object(names).label('WikiPageMetaData')).label('WikiPageList');

export const wikiCommitListSchema = Joi.object({
  commits: Joi.array().items(wikiCommitSchema).required(),
  count: Joi.number().integer().required(),
}).label('WikiCommitList');

interface WikiPageOptions {
  readonly title?: string | null;
  readonly content_base64?: string | null;
  readonly message?: string | null;
}

export const wikiPageOptions = Joi.object<WikiPageOptions>({
  title: Joi.string().allow('', null).description('Title of the page; on an edit, a new one renames it'),
  content_base64: Joi.string().allow('', null).description('Content of the page, base64'),
  message: Joi.string().allow('', null).description('Message of the commit'),
}).label('CreateWikiPageOptions');
