import type { Repository } from '@mortise/repositories/api';

/** Address of the wiki elsewhere that stands for the one here; undefined: there is none. */
export function externalWiki(repository: Repository): string | undefined {
  const unit = repository.units.find((one) => one.key === 'wiki');
  const external = unit?.config.external_wiki as { readonly external_wiki_url?: unknown } | undefined;
  const url = external?.external_wiki_url;
  return unit?.enabled && typeof url === 'string' && /^https?:\/\//i.test(url) ? url : undefined;
}
