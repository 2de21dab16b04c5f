/** Models of git's own objects in the REST surface. */
import { Joi } from '@mortise/plugin-sdk';
import { commitSchema, commitUserSchema, verificationSchema } from '../contract/schemas.js';

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();
const model = (name: string, fields: Joi.SchemaMap) => Joi.object(fields).label(name);
export const treeSchema = model('GitTreeResponse', {
  sha: text(),
  url: text(),
  tree: Joi.array()
    .items(
      model('GitEntry', {
        path: text(),
        mode: text(),
        type: Joi.string().valid('blob', 'tree', 'commit').required(),
        size: count(),
        sha: text(),
        url: text(),
      }),
    )
    .required(),
  truncated: flag(),
  page: count(),
  total_count: count(),
});
export const blobSchema = model('GitBlobResponse', {
  content: Joi.string().allow('', null).required().description('Base64'),
  encoding: Joi.string().allow(null).required(),
  url: text(),
  sha: text(),
  size: count(),
  lfs_oid: Joi.string(),
  lfs_size: Joi.number().integer(),
});
export const referenceSchema = model('Reference', {
  ref: text(),
  url: text(),
  object: model('GitObject', { type: text(), sha: text(), url: text() }).required(),
});
export const annotatedTagSchema = model('AnnotatedTag', {
  tag: text(),
  sha: text(),
  url: text(),
  message: text(),
  tagger: commitUserSchema.allow(null).required(),
  object: model('AnnotatedTagObject', { type: text(), url: text(), sha: text() }).required(),
  verification: verificationSchema.required(),
});
export const compareSchema = model('Compare', {
  total_commits: count(),
  commits: Joi.array().items(commitSchema).required(),
});
export const noteSchema = model('Note', { message: text(), commit: commitSchema.allow(null).required() });
