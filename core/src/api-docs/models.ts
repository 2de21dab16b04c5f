import type { Logger } from '@mortise/plugin-sdk';
import { modelNamed, modelPrefix, rewritten, type Fields } from './rewrite.js';
import type { SwaggerDocument } from './shapes.js';

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
  const kept: Record<string, Fields> = {};
  const renamed = new Map<string, string>();
  for (const [family, names] of families) {
    const [fullest, ...others] = names.sort((a, b) => fieldsOf(models[b]!).length - fieldsOf(models[a]!).length);
    const fields = fieldsOf(models[fullest!]!).join();
    kept[family] = models[fullest!]!;
    renamed.set(fullest!, family);
    for (const name of others) {
      const own = fieldsOf(models[name]!).join();
      if (!own || own === fields) renamed.set(name, family);
      else {
        log.warn('two different models have the same name in the API documents', {
          event: 'apiDocs.modelClash',
          model: family,
          fields,
          other: own,
        });
        kept[name] = models[name]!;
      }
    }
  }
  const refer = (fields: Fields): Fields => {
    const name = renamed.get(modelNamed(fields.$ref) ?? '');
    return name ? { ...fields, $ref: `${modelPrefix}${name}` } : fields;
  };
  document.definitions = rewritten(kept, refer) as SwaggerDocument['definitions'];
  document.paths = rewritten(document.paths, refer) as SwaggerDocument['paths'];
}

function familyOf(name: string, models: Record<string, Fields>): string {
  const [, plain] = /^(.+?)\d+$/.exec(name) ?? [];
  return plain && plain in models ? plain : name;
}
