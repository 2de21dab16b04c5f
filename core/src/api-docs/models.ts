import type { Logger } from '@mortise/plugin-sdk';
import { rewritten, type Fields } from './rewrite.js';
import type { SwaggerDocument } from './shapes.js';

const prefix = '#/definitions/';
const fieldsOf = (model: Fields) => Object.keys((model.properties as Fields | undefined) ?? {}).sort();

/**
 * hapi-swagger makes a numbered copy of a model wherever a schema is nullable, described otherwise or only named
 * (`Joi.object().unknown().label('Comment')`, for what another plugin describes). One model remains of each name.
 */
export function mergeModels(document: SwaggerDocument, log: Logger): void {
  const models = (document.definitions ?? {}) as Record<string, Fields>;
  const families = new Map<string, string[]>();
  for (const name of Object.keys(models)) {
    const family = familyOf(name, models);
    families.set(family, [...(families.get(family) ?? []), name]);
  }
  const renamed = new Map<string, string>();
  for (const [family, names] of families) {
    const [fullest, ...others] = names.sort((a, b) => fieldsOf(models[b]!).length - fieldsOf(models[a]!).length);
    const fields = fieldsOf(models[fullest!]!).join();
    for (const name of others) {
      const own = fieldsOf(models[name]!).join();
      if (own && own !== fields) log.warn('two different models have one name', { model: family, fields, other: own });
      else renamed.set(name, family);
    }
    renamed.set(fullest!, family);
  }
  const refer = (fields: Fields): Fields => {
    const name = typeof fields.$ref === 'string' && decodeURIComponent(fields.$ref.slice(prefix.length));
    return name && renamed.has(name) ? { ...fields, $ref: `${prefix}${renamed.get(name)}` } : fields;
  };
  const kept: Record<string, unknown> = {};
  for (const [name, model] of Object.entries(models)) {
    const family = renamed.get(name) ?? name;
    if (!(family in kept) || fieldsOf(model).length > fieldsOf(kept[family] as Fields).length)
      kept[family] = rewritten(model, refer);
  }
  document.definitions = kept as SwaggerDocument['definitions'];
  document.paths = rewritten(document.paths, refer) as SwaggerDocument['paths'];
}

function familyOf(name: string, models: Record<string, Fields>): string {
  const [, plain] = /^(.+?)\d+$/.exec(name) ?? [];
  return plain && plain in models ? plain : name;
}
